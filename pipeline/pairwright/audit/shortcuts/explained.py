"""The checks of this part in words."""

from pairwright.audit.records import Explained

_BLIND = "Nobody's history is needed for it, so it measures no fit to a user."
_EVEN = "Draw again until both sides are alike in it, or drop pairs from the larger group."
_LEARNT = "Look at what the two sides say and how; give both the same writer, prompt and limits."

EXPLAINED = {
    "length": Explained(
        title="Picks the longer response",
        why="A scorer that counts words between white space does this; a tie counts one half. "
        f"{_BLIND}",
        todo="Hold both sides to the same number of words, and gate on their ratio.",
    ),
    "lists": Explained(
        title="Picks the response with more list items",
        why=f"Judges and reward models are known to reward lists. {_BLIND}",
        todo="Ask both sides for the same form, and gate on it.",
    ),
    "headings": Explained(
        title="Picks the response with more headings",
        why=f"Judges and reward models are known to reward structure. {_BLIND}",
        todo="Ask both sides for the same form, and gate on it.",
    ),
    "bold": Explained(
        title="Picks the response with more bold text",
        why=f"Judges and reward models are known to reward emphasis. {_BLIND}",
        todo="Ask both sides for the same form, and gate on it.",
    ),
    "question_overlap": Explained(
        title="Picks the response with more of the question's words",
        why=f"It rewards the answer that is more to the point for anyone. {_BLIND}",
        todo="See that the rejected response answers the whole question.",
    ),
    "lexical_diversity": Explained(
        title="Picks the response with the richer vocabulary",
        why=f"It tells two writers, or two prompts, apart. {_BLIND}",
        todo=_EVEN,
    ),
    "persona_words": Explained(
        title="Picks the response that speaks about its reader",
        why='Phrases such as "as someone who" and "given your" are rewarded by judges though they '
        "say nothing, and give the side away.",
        todo="Tell the writer not to mention the reader, and gate on it.",
    ),
    "refusal_words": Explained(
        title="Picks the response that refuses",
        why="A side that declines to answer is told from one that does without any history; an "
        "accuracy far below one half says that the rejected ones refuse.",
        todo="Drop refusals, and draw again.",
    ),
    "bag_of_words": Explained(
        title="Learns the chosen response from its words",
        why="A linear model of the words of both responses, tried on users it was not fitted on. "
        f"{_BLIND}",
        todo=_LEARNT,
    ),
    "style": Explained(
        title="Learns the chosen response from its style",
        why="A linear model of lengths, marks, form, kinds of words and habits of typing (double "
        "spaces, tabs, small letters at the start), tried on users it was not fitted on. "
        f"{_BLIND}",
        todo=_LEARNT,
    ),
    "bag_of_words_with_question": Explained(
        title="Learns the chosen response from its words and the question",
        why="As from the words, but told which of them the question has. " + _BLIND,
        todo=_LEARNT,
    ),
    "style_with_question": Explained(
        title="Learns the chosen response from its style and the question",
        why="As from the style, with overlap with the question, and with what sort of question it "
        f"is. {_BLIND}",
        todo=_LEARNT,
    ),
    "profile_residual": Explained(
        title="Picks the response with more of the profile's other words",
        why="Words of the posts that are neither the question's nor the aspects' should be as many "
        "on both sides. Where they are not, the writer had seen the posts, and words copied from "
        "them pass for fit.",
        todo="Write from question and aspects alone, never from the posts.",
    ),
    "length_matched": Explained(
        title="Pairs of like length",
        why="What length gives away, it does not give away here: each check tells its accuracy on "
        "these pairs as well.",
        todo="Report scorers on these pairs beside the whole.",
    ),
    "twin_identity": Explained(
        title="Twins are whole",
        why="Both halves of a twin hold the same two responses with the sides changed about, so "
        "whoever cannot see the user is right on exactly half. A lost half ends that.",
        todo="Drop or restore the twins named; filter, sample and split by twin, never by pair.",
    ),
    "twin_length_gap": Explained(
        title="Twins: words of the longer response over the shorter",
        why="Blind accuracies on twins are 50 % by identity and hide how unequal the two are.",
        todo="Hold both sides to the same number of words.",
    ),
    "twin_quality_gap": Explained(
        title="Twins: distance of the two responses' quality",
        why="By the judge's mean score. Where one response is better for anyone, one of the two "
        "halves is wrong about it.",
        todo="Tighten the gate on quality parity.",
    ),
    "twin_against_baseline": Explained(
        title="Twins: where word overlap with the profile is wrong",
        why="On these pairs a scorer must understand more than which words the user has used.",
        todo="Report scorers on these pairs apart.",
    ),
    "people_against_baseline": Explained(
        title="Twins: people where word overlap is wrong, majority for the chosen response",
        why="Here the right choice cannot come from counting the user's words.",
        todo="Look at these pairs: people who read the posts should still choose the chosen one.",
    ),
    "profile_overlap": Explained(
        title="Picks the response with more of the profile's words",
        why="A floor: a scorer that reads the profile should do better than counting its words.",
        todo="Print it beside every scorer.",
    ),
    "aspects_overlap": Explained(
        title="Picks the response with more of the aspects' words",
        why="A floor for scorers that are shown the aspects.",
        todo="Print it beside every scorer that sees aspects.",
    ),
    "profile_tfidf": Explained(
        title="Picks the response more like the profile, rare words first",
        why="A floor, as above, for scorers that weigh words by how rare they are.",
        todo="Print it beside every scorer.",
    ),
}
