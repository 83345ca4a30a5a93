"""What each column of data/*.parquet holds, for card and Croissant. The first eight are the
official benchmark's schema, in its order."""

COLUMNS = {
    "id": (
        "Derived from item, user, mode and both responses, not from the texts of question and"
        " posts, of which build/units.jsonl has hashes."
    ),
    "question": "The question both responses answer.",
    "profile": "The user's earlier posts, oldest first, with time, address and licence.",
    "rubric_aspects": (
        "What this user expects in an answer: aspect, reason, evidence and the posts it is from,"
        " the planner's confidence, and the judge's adherence scores of both responses (0 to 2)."
    ),
    "narrative": (
        "The asker's own long explanation, where the source has one. Never show it to a scorer."
    ),
    "category": "Subcategory of the question, in the words of the source.",
    "chosen": "The response that is meant to fit this user.",
    "rejected": "The response that is meant not to.",
    "item_id": "The source's id of the question.",
    "domain": "The domain; a twin's is that of its question.",
    "mode": "How the rejected response came about: twin or violate.",
    "twin_id": "The twin this pair is one half of; none in mode violate.",
    "asked": "Whether this user asked the question: false in a twin's counterfactual half.",
    "user": "Pseudonym of the user whose preference it states.",
    "dyad": "Names the user, or a twin's two users. Draw whole dyads for intervals and folds.",
    "aspects_origin": (
        "Where the rubric is from: planner (inferred from posts), narrative, or gold (the source)."
    ),
    "strategy": "How the rejected response was asked for.",
    "generator": "The model that wrote both responses.",
    "judge": "The model that scored them; none where nothing was judged.",
    "quality": "The judge's scores of both responses by quality scale.",
    "comparison": "The judge's verdict on quality, in both orders: parity is a tie.",
    "votes": "Annotators' preference votes of the first round; none where nobody was asked.",
    "verified": "Whether people's answers verified the pair under the rule of its study.",
    "simulated": "Whether a program had a part in it: then it is no benchmark.",
    "created": "When the question was asked, in UTC.",
    "source_url": "Where the question stands.",
    "licence": "SPDX id of the question's licence; none where it is not known.",
}
