"""The checks of this part in words."""

from pairwright.audit.records import Explained

EXPLAINED = {
    "duplicate_id": Explained(
        title="Two rows with one id",
        why="Scores are joined by id: of two rows with one id, one gets the other's score.",
        todo="Give every row an id of its own, best one derived from its content.",
    ),
    "derived_id": Explained(
        title="An id that is not its content's",
        why="The row was changed after it was named, or was never the one of this name.",
        todo="Take the release anew and verify it; a changed pair needs a new id and a new "
        "version.",
    ),
    "same_sides": Explained(
        title="Both sides are the same",
        why="There is nothing to prefer: a scorer's tie would be counted as an error. Sides that "
        "differ in case, a digit or a symbol are two answers, and are not meant.",
        todo="Drop these pairs.",
    ),
    "contradiction": Explained(
        title="One pair with opposite labels",
        why="No scorer can be right about both rows.",
        todo="Drop both, or ask people again.",
    ),
    "duplicate_pair": Explained(
        title="One pair twice",
        why="It counts double, and may stand in a training and a test fold.",
        todo="Keep one of the rows.",
    ),
    "twin_not_whole": Explained(
        title="A twin that is not whole",
        why="Only over both halves is a scorer that cannot see the user right exactly half of the "
        "time; single halves let a blind one do better.",
        todo="Drop or restore both halves together.",
    ),
    "evidence_missing": Explained(
        title="Evidence that stands nowhere",
        why="An aspect whose evidence nobody wrote may be made up.",
        todo="Drop the aspect, and the pair where fewer than two are left.",
    ),
    "aspects_repeated": Explained(
        title="An aspect twice",
        why="It counts double in the adherence score.",
        todo="Keep one of the two.",
    ),
    "few_aspects": Explained(
        title="Fewer than two aspects",
        why="One aspect or none is too little to tell what this user wants from what anyone does.",
        todo="Refuse such items, as a build does.",
    ),
    "profile_empty": Explained(
        title="No profile",
        why="Without a history nothing can be known of this user's preference.",
        todo="Leave these rows out, or add the posts.",
    ),
    "times_in_order": Explained(
        title="Posts out of order",
        why="A reader that takes the last posts for the newest is misled, and what is older than "
        "the question cannot be told.",
        todo="Write times in UTC, ISO 8601, and sort posts oldest first.",
    ),
    "implausible_time": Explained(
        title="Times that cannot be",
        why="A question from the future has any post for its history, and a time that a program "
        "put where it knew none orders nothing. An audit reads no clock: it takes 1970 and times "
        "from 2037 on for wrong.",
        todo="Read the times from the source again, or leave them out.",
    ),
    "empty_text": Explained(
        title="Empty texts",
        why="A side without text loses to any other; a post without text tells nothing.",
        todo="Drop the pair or the post.",
    ),
    "very_long": Explained(
        title="Very long texts",
        why="Most models cut them off, and what is cut may be the response.",
        todo="Shorten or leave out, and say how.",
    ),
    "encoding": Explained(
        title="Wrongly decoded texts",
        why="Garbled characters tell where a text came from, and cost a scorer sense.",
        todo="Decode the source as what it is, mostly UTF-8, and build these rows again.",
    ),
    "hidden_characters": Explained(
        title="Characters that nobody sees",
        why="Zero-width characters, marks of direction and hard spaces look like nothing, but a "
        "scorer reads them: they can mark a side, hide words or split them.",
        todo="Take them out of questions and responses, and see what wrote them.",
    ),
    "breaks_off": Explained(
        title="Sides that break off",
        why="Where one side breaks off more often than the other, whoever prefers whole sentences "
        "is right without reading.",
        todo="Raise the token limit of the writer, and refuse responses that were cut.",
    ),
    "other_language": Explained(
        title="Sides in another language",
        why="A response in another language than the question is easily told from one that is not.",
        todo="Draw these responses again.",
    ),
}
