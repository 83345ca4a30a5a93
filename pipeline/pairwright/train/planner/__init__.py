"""Training a planner on gold aspects, by supervised fine-tuning, and choosing the best checkpoint.

settings.py         the file that says what is trained, on what, and how
training_target.py  the text that a planner is to write for an item's gold aspects
examples.py         prompts and targets, each fitted to what the model reads
data.py             the tokens that are trained on, and what was left out
base_model.py       the model that is adapted, and its tokenizer
sft.py              the fine-tuning, with a LoRA adapter
adapted_model.py    the model with an adapter: it writes plans, and is merged with it
choose.py           the score of a checkpoint's plans, and the best checkpoint
folder.py           what a training leaves in its folder
report_page.py      the page
"""
