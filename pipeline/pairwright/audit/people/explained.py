"""The checks of this part in words."""

from pairwright.audit.records import Explained

_REDACT = (
    "Work through the redactions.jsonl that `pairwright audit` writes beside its report: it gives"
    " the place of every finding, masked."
)

EXPLAINED = {
    "secret": Explained(
        title="Keys and passwords",
        why="A reader can use the account that they open, at its owner's cost, and read what is in "
        "it. A password is found only if it is named and has 20 characters or more.",
        todo="Have the key withdrawn by its owner first: it has been public. " + _REDACT,
    ),
    "iban": Explained(
        title="Account numbers (IBAN)", why="Anybody can charge such an account.", todo=_REDACT
    ),
    "card": Explained(title="Card numbers", why="Anybody can try to pay with them.", todo=_REDACT),
    "national_id": Explained(
        title="Numbers of a state's register",
        why="With a social security number anybody can pass for its owner.",
        todo=_REDACT,
    ),
    "email": Explained(
        title="E-mail addresses",
        why="They name and reach a person who did not agree to stand in a benchmark.",
        todo=_REDACT,
    ),
    "phone": Explained(
        title="Telephone numbers",
        why="They reach a person who did not agree to stand in a benchmark.",
        todo=_REDACT,
    ),
    "address": Explained(
        title="Postal addresses",
        why="They lead to somebody's door. Those of shops look the same.",
        todo=_REDACT,
    ),
    "ip": Explained(
        title="IP addresses",
        why="An address of a machine at home leads to its owner.",
        todo=_REDACT,
    ),
    "profile_url": Explained(
        title="Addresses of people's pages",
        why="They join a user to accounts elsewhere; many are of well-known people, too.",
        todo=_REDACT,
    ),
    "handle": Explained(
        title="Handles",
        why="They name other users, who wrote nothing here.",
        todo=_REDACT,
    ),
    "stated_name": Explained(
        title="Names that people give or sign with",
        why="A name joins a pseudonym to a person. A quotation may look the same.",
        todo=_REDACT,
    ),
    "names": Explained(
        title="Other names",
        why="Names of people in running text need a language model to be told from other words.",
        todo="Read a sample, or run a name finder of your choice over the texts.",
    ),
    "sensitive": Explained(
        title="Sensitive subjects",
        why="What is known of somebody's health, belief, politics, sexuality or trouble with the "
        "law can harm them.",
        todo="Say so in the card, and weigh whether these rows are needed.",
    ),
    "licence": Explained(
        title="Licences and addresses",
        why="A text without a licence may not be passed on. Most licences of such texts, CC BY-SA "
        "among them, ask for the address, too; data without them have been taken down.",
        todo="Give every post the address it stands at and its licence, which for Stack Exchange "
        "its date tells.",
    ),
    "tombstones": Explained(
        title="People and posts that were to be forgotten",
        why="Somebody asked for them to be taken out.",
        todo="The next release of a run leaves them out; a release with them is to be made "
        "again from its run, and taken down.",
    ),
}
