"""Small trainings by TRL with rewards of a server: trl_run.py DATA POLICY URL OUT.

Run by the engines' environment. DATA is what `pairwright train export-rl` wrote. OUT/found.json
says what came of each.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer, RLOOConfig, RLOOTrainer

from pairwright.training.rewards import reward_func

STEPS = 3
SHAPE = {
    "max_steps": STEPS, "per_device_train_batch_size": 4, "num_generations": 2,
    "max_completion_length": 12, "use_cpu": True, "bf16": False, "report_to": "none",
    "logging_steps": 1, "save_strategy": "no", "learning_rate": 1e-3, "beta": 0.0,
    "disable_tqdm": True, "seed": 0,
}  # fmt: skip


def trained(
    kind: Any, config: Any, reward: Any, data: str, policy: str, out: Path, **more: Any
) -> Any:
    """A trainer after its training."""
    torch.manual_seed(0)
    trainer = kind(
        model=AutoModelForCausalLM.from_pretrained(policy), reward_funcs=reward,
        args=config(**SHAPE, output_dir=str(out), **more),
        train_dataset=load_dataset(data, "prompts")["train"],
        processing_class=AutoTokenizer.from_pretrained(policy),
    )  # fmt: skip
    trainer.train()
    return trainer


def rewards_of(trainer: Any) -> list[float]:
    return [line["reward"] for line in trainer.state.log_history if "reward" in line]


def half(completions: Any, **_: Any) -> list[float | None]:
    """Every second completion has no reward, and the others have 5."""
    return [None if n % 2 else 5.0 for n in range(len(completions))]


def main(data: str, policy: str, url: str, out: Path) -> None:
    found: dict[str, Any] = {}
    seen: list[tuple[str, str, float | None]] = []
    ask = reward_func(url)

    def noted(prompts: Any, completions: Any, **columns: Any) -> list[float | None]:
        rewards = ask(prompts, completions, **columns)
        said = [completion[0]["content"] for completion in completions]
        seen.extend(zip(columns["id"], said, rewards, strict=True))
        return rewards

    before = AutoModelForCausalLM.from_pretrained(policy).state_dict()
    grpo = trained(GRPOTrainer, GRPOConfig, noted, data, policy, out, log_completions=True)
    after = grpo.model.state_dict()
    found["moved"] = any(not torch.equal(after[name], given) for name, given in before.items())
    found["grpo"] = rewards_of(grpo)
    found["seen"] = seen
    found["logged"] = [line for line in grpo.state.log_history if "unscored" in line]
    for name, kind, config, reward in (
        ("rloo", RLOOTrainer, RLOOConfig, ask),
        ("none-grpo", GRPOTrainer, GRPOConfig, half),
        ("none-rloo", RLOOTrainer, RLOOConfig, half),
    ):
        found[name] = rewards_of(trained(kind, config, reward, data, policy, out / name))
    (out / "found.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    data, policy, url, folder = sys.argv[1:]
    main(data, policy, url, Path(folder))
