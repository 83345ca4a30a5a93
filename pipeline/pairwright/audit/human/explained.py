"""The checks on human verification in words."""

from pairwright.audit.records import Explained

EXPLAINED = {
    "verified": Explained(
        title="Pairs that people verified",
        why="A model's word that a pair fits one person is no evidence that people see it.",
        todo="Have the rest verified (`pairwright human export`), or release only what was.",
    ),
    "not_verified": Explained(
        title="Pairs that people were asked about and did not verify",
        why="The rule that was fixed before the first answer refuses them.",
        todo="Leave them out; have disputed ones adjudicated (`pairwright human adjudicate`).",
    ),
    "agreement": Explained(
        title="Agreement of annotators, Krippendorff's alpha",
        why="Where people do not agree, a majority of three is close to a coin.",
        todo="Read the comments, sharpen the guidelines, or ask more people per pair.",
    ),
    "preferred": Explained(
        title="Votes for the chosen response, of the votes for either",
        why="If people who read the posts do not prefer the chosen response, the label is wrong.",
        todo="Look at the pairs that were refused, and at what the planner inferred for them.",
    ),
    "own_posts_tell": Explained(
        title="Votes for the chosen response: own posts less another user's",
        why="If a stranger's posts lead to the same votes, it is not the person that decides.",
        todo="Look for responses that are simply better; raise the gates on quality and parity.",
    ),
    "equally_good": Explained(
        title="Both responses equally good, in points of quality",
        why="If one side is the better answer for anyone, picking it needs no person.",
        todo="Raise the parity gate; have more pairs judged where too few were.",
    ),
    "judge_on_aspects": Explained(
        title="Judge and people on which aspects are delivered, Cohen's kappa",
        why="The gates let pairs through on this judge's word.",
        todo="Try another judge model, or a clearer adherence prompt.",
    ),
    "judge_on_quality": Explained(
        title="Judge within one point of people, on quality",
        why="The gates let pairs through on this judge's word.",
        todo="Try another judge model, or clearer anchors in rubrics/quality.toml.",
    ),
    "judge_on_preference": Explained(
        title="Pairs in which people's majority is for what the judge let through as chosen",
        why="It is the judge's accuracy on the pairs that passed its gates.",
        todo="Look at the pairs where people prefer the other response.",
    ),
    "excluded_annotators": Explained(
        title="Annotators who failed the attention checks",
        why="None of their answers counts.",
        todo="See whether the checks were clear, and whether their pairs still have enough votes.",
    ),
    "position_bias": Explained(
        title="Annotators who choose one position too often",
        why="Sides are balanced, so a share far from one half is a habit of the hand.",
        todo="Talk to them, and have their pairs answered again by others.",
    ),
    "against_the_rest": Explained(
        title="Annotators who disagree with the rest more often than a coin would",
        why="They may have read the question the other way round.",
        todo="Talk to them before their answers decide anything.",
    ),
}
