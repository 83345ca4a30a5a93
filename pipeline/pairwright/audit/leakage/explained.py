"""The checks of this part in words."""

from pairwright.audit.records import Explained

EXPLAINED = {
    "rubric_leak": Explained(
        title="Copies five words of the rubric",
        why="A scorer that is shown the aspects can find the side that quotes them without "
        "understanding either answer.",
        todo="Draw these responses again, and keep the narrative and the aspects' wording out of "
        "what the writer may repeat.",
    ),
    "target_in_profile": Explained(
        title="The question stands in its own profile",
        why="A post that repeats the question tells what the user wanted, instead of letting it be "
        "inferred.",
        todo="Leave such posts out of the profile and plan these items again.",
    ),
    "response_in_profile": Explained(
        title="A response copies the user's own post",
        why="Whoever finds the copied words picks that side, and has understood neither what the "
        "user wants nor the answer.",
        todo="Draw these responses again from question and aspects; the writer should never see "
        "the posts.",
    ),
    "later_post": Explained(
        title="Posts that are not older than the question",
        why="What somebody wrote afterwards may hold the answer they took, which nobody could know "
        "when they asked.",
        todo="Cut profiles at the time of the question.",
    ),
    "near_duplicate_questions": Explained(
        title="Two users ask nearly the same question",
        why="Such rows count twice, and what is learned from one gives the other away.",
        todo="Keep one of each group, or see that a group is in one split and one fold.",
    ),
    "near_duplicate_posts": Explained(
        title="Two users wrote nearly the same post",
        why="They may be one person with two accounts, or text that both copied: neither tells "
        "one user from another.",
        todo="Join the accounts or leave the copied posts out.",
    ),
    "near_duplicates_across_splits": Explained(
        title="Nearly the same text in two splits",
        why="A model that was tuned on one split has read part of the other.",
        todo="Put a group of near-duplicates into one split.",
    ),
    "near_duplicate_pairs": Explained(
        title="A pair again in nearly the same words",
        why="A pair that was retold counts twice, and may stand in a training and a test fold. "
        "Sentences in another order and a few words replaced are found; a free retelling is not, "
        "and pairs that were made from one template are alike without being retold.",
        todo="Read the pairs named, and keep one of each group.",
    ),
    "people_across_splits": Explained(
        title="A person in two splits",
        why="A user's history, or the other half of a twin, would be known from the other split.",
        todo="Split by user, and a twin by its two users together.",
    ),
    "corpus_overlap": Explained(
        title="Overlap with the given corpora",
        why="A model that was trained on these texts may remember the pair, or what became of "
        "the question.",
        todo="Leave these rows out for models that were trained on the corpus, or report them "
        "apart.",
    ),
}
