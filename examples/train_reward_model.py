"""Train a reward model on a release with TRL's RewardTrainer.

    pip install trl datasets
    python examples/train_reward_model.py demo/release ORG/BASE-MODEL reward-model

The prompt of a pair is what the user wrote, then the question. Rows of the split `test` are left
out; if a release has no other split, it is refused: it is for evaluation alone.
"""

import sys
from pathlib import Path

from datasets import Dataset, load_dataset
from trl import RewardConfig, RewardTrainer


def pairs(release: str) -> Dataset:
    """All pairs outside the split `test`, as conversations."""
    files = [str(f) for f in Path(release).glob("data/*/*.parquet") if f.name[:5] != "test-"]
    if not files:
        sys.exit(f"error: {release} has only the split test\nhint: release with --validation 30%")
    rows = load_dataset("parquet", data_files=files, split="train")
    return rows.map(conversation, remove_columns=rows.column_names)


def conversation(row: dict) -> dict:
    """A row in TRL's form: one prompt, and the chosen and rejected response to it."""
    posts = "\n\n".join(post["text"] for post in row["profile"])
    asked = f"I wrote earlier:\n\n{posts}\n\nMy question:\n\n{row['question']}"
    return {
        "prompt": [{"role": "user", "content": asked}],
        "chosen": [{"role": "assistant", "content": row["chosen"]}],
        "rejected": [{"role": "assistant", "content": row["rejected"]}],
    }


def train(release: str, model: str, out: str, **options: object) -> None:
    """Train `model` on the pairs of `release`; `options` are those of TRL's RewardConfig."""
    config = RewardConfig(output_dir=out, report_to="none", **options)
    trainer = RewardTrainer(model=model, args=config, train_dataset=pairs(release))
    trainer.train()
    trainer.save_model(out)


if __name__ == "__main__":
    train(*sys.argv[1:])
