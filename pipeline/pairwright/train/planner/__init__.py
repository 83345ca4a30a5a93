"""Train a planner on gold aspects: data, supervised fine-tuning, and which checkpoint is best."""
