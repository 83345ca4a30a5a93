"""The sentences that carry a phrase: as an aspect, as its reason, and in an answer.

    FRAMES["lack"].aspect("oven", 0)      'Ways to manage with no oven at all'

Words beside the phrase differ between aspect, reason and answer, so that an answer serves an
aspect without a run of five words from it.
"""

from typing import NamedTuple


class SentenceFrame(NamedTuple):
    """How one kind of statement is put into words. `{p}` is the phrase, `{a}` its article."""

    aspects: tuple[str, ...]
    reason: str
    lines: tuple[str, ...]

    def aspect(self, phrase: str, turn: int) -> str:
        return _filled(self.aspects[turn % len(self.aspects)], phrase)

    def line(self, phrase: str, turn: int) -> str:
        return _filled(self.lines[turn % len(self.lines)], phrase)

    def because(self, phrase: str, source: str) -> str:
        return _filled(self.reason.replace("{src}", source), phrase)


FRAMES = {
    "home": SentenceFrame(
        ("Ideas that work {p} as well", "What to change for daily life {p}"),
        "Everything here happens {p}, going by the {src}, while most advice presumes otherwise.",
        ("Life lived {p} sets its own limits, so keep whatever is used small and easy to move.",
         "All of this works just as well {p}, which saves waiting for somewhere better.",
         "Nothing about being {p} stands in the way, if each part is kept short."),
    ),
    "lack": SentenceFrame(
        ("Ways to manage with no {p} at all", "What to do instead when no {p} exists"),
        "There is no {p}, says the {src}, although much advice counts on it.",
        ("It takes no {p} to do this, because a slower way leads to the same end.",
         "Where no {p} is to hand, take the longer way round and lose nothing by it.",
         "The whole of it can be managed if no {p} turns up, with a little more patience."),
    ),
    "avoid": SentenceFrame(
        ("Versions that leave {p} out entirely", "How to keep well clear of {p} throughout"),
        "The {src} speaks against {p}, so advice that relies on that would be of no use.",
        ("Do without {p} altogether; something plainer will do the same work.",
         "There are good ways round {p} that are no harder and no dearer.",
         "Skip {p} entirely, and check whatever is bought for hidden traces."),
    ),
    "cannot": SentenceFrame(
        ("A way in which nobody has to {p}", "Something for those who are unable to {p}"),
        "Having to {p} is ruled out by the {src}.",
        ("Nobody must {p} here, once the order of work is changed a little.",
         "An easier order exists in which one does not {p} even once.",
         "No step should make anyone {p}, even if that takes a little longer."),
    ),
    "condition": SentenceFrame(
        ("How to go about it with {p}", "Methods that stay comfortable with {p}"),
        "The {src} mentions {p}, which decides what can be done in comfort.",
        ("Living alongside {p} mostly means shorter turns, so spread the work out.",
         "Choose the gentlest of the usual methods, because {p} punishes haste.",
         "Allow for {p} when planning the pace, and count a short session as a full one."),
    ),
    "trait": SentenceFrame(
        ("What {p} people should watch out for", "Choices that suit {p} people as well"),
        "Somebody {p} is spoken of in the {src}, and the usual answer forgets that.",
        ("Ask early what changes for anyone {p}, because the common advice leaves them out.",
         "If somebody is {p}, check each step against that before anything is bought or begun.",
         "What counts as {p} differs from place to place, so ask instead of guessing."),
    ),
    "family": SentenceFrame(
        ("How {a} {p} can be part of it", "What works for {a} {p} too"),
        "The {src} brings up {a} {p}, which a general answer would overlook.",
        ("Bear {a} {p} in mind, and choose what everybody can manage together.",
         "Give {a} {p} some share in it, however small, and it all goes more smoothly.",
         "What pleases {a} {p} is worth finding out early, for that decides a good deal."),
    ),
    "role": SentenceFrame(
        ("A routine that is realistic for {p}", "What matters most to {p}"),
        "The author of the {src} is {p}, and that shapes what is practical.",
        ("Even {p} could keep this up, provided each part is short enough to survive a break.",
         "It suits {p} best to do a little at fixed times, and never to start without an end.",
         "Days like those of {p} leave short gaps, which is exactly where this belongs."),
    ),
    "doing": SentenceFrame(
        ("How it fits around {p} every week", "A version that leaves time for {p}"),
        "Much time goes into {p}, as the {src} shows.",
        ("It combines easily alongside {p}, since both reward doing little and often.",
         "Let {p} be the test: what holds up there will hold up anywhere.",
         "Weeks full of {p} leave room for this if it is cut into quarters of an hour."),
    ),
    "own": SentenceFrame(
        ("What can be done with {p} alone", "Making good use of {p} here"),
        "The {src} shows what there is to work with, namely {p}.",
        ("There is nothing to buy when {p} can do the job, so build on that.",
         "Let {p} set the limits, and pick only what agrees with that.",
         "Starting from {p}, most of the job is possible at once and the rest can wait."),
    ),
    "like": SentenceFrame(
        ("Examples taken from {p} where possible", "A part that draws on {p}"),
        "The {src} speaks of {p} with warmth.",
        ("A good way in leads through {p}, which shows the same thing quite clearly.",
         "Take {p} as the model here, then borrow whatever carries over.",
         "Something like {p} makes the point better than any rule could."),
    ),
    "want": SentenceFrame(
        ("How one arrives at {p} before long", "What leads up to {p} in the end"),
        "The {src} asks for {p}, and the wish carries over.",
        ("Keep {p} as the goal, and judge every step by whether it brings that closer.",
         "Done in this order, things end with {p} rather than a compromise.",
         "Work backwards, asking what {p} would require the day before."),
    ),
    "measure": SentenceFrame(
        ("A plan that reckons with {p}", "What follows from {p} in practice"),
        "The scale that the {src} names is {p}.",
        ("Do the sums beforehand, taking {p} as given, and write down what comes out.",
         "Treat {p} as the fixed point, because that figure decides the rest.",
         "Anything that fails at {p} can be struck off the list at once."),
    ),
    "habit": SentenceFrame(
        ("Advice for people who {p}", "How those who {p} can manage"),
        "To {p} is an old custom by this {src}, so an answer should not fight it.",
        ("One may well {p} and still get there, with slightly more order in the rest.",
         "Those used to it should {p} as before and change only what comes after.",
         "There is no harm if some {p}, provided the last step is done with care."),
    ),
    "theme": SentenceFrame(
        ("Plans made around the {p} from the start", "How best to deal with the {p}"),
        "The {src} shows how much depends on the {p}.",
        ("Look hard at the {p} before deciding anything, since most plans fail right there.",
         "Put the {p} first, then leave the finer points for later.",
         "Whatever suits the {p} is worth keeping, and the remainder can be dropped."),
    ),
    "explain": SentenceFrame(
        ("Enough detail about {p} to act on", "What to do about {p} in practice"),
        "The {src} wants to hear about {p}.",
        ("As for {p}, decide early, because everything later follows from that choice.",
         "Give {p} some thought before the rest, and settle it on paper.",
         "Nobody regrets an hour spent on {p} before the main work begins."),
    ),
}  # fmt: skip


def article(phrase: str) -> str:
    """`a`, `an`, or `the` before a plural."""
    last = phrase.split()[-1]
    if last.endswith("children") or (last.endswith("s") and not last.endswith(("ss", "boss"))):
        return "the"
    return "an" if phrase[0] in "aeiou" else "a"


def _filled(frame: str, phrase: str) -> str:
    text = frame.replace("{a}", article(phrase)).replace("{p}", phrase)
    return text[0].upper() + text[1:]
