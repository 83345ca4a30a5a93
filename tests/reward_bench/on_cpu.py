"""RewardBench's own CLI where there is no CUDA: its pipeline moves every batch to `cuda`.

Run by RewardBench's environment, with the CLI's options.
"""

from typing import Any

from rewardbench.rewardbench import main  # type: ignore[import-not-found]
from transformers import BatchEncoding


def stay(encoding: Any, *_: object, **__: object) -> Any:
    """The batch, where it is: tensors are made on the CPU."""
    return encoding


if __name__ == "__main__":
    BatchEncoding.to = stay
    main()
