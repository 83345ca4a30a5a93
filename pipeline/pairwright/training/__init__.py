"""Planners and policies: comparing and training the one, and data and rewards to train the other.

gold.py                 items with gold aspects, and how near planned aspects come to them
plan_settings.py        the files of a training and of a comparison of planners
plans.py                a planner's plan for one item, and how it agrees with gold aspects
plan_scores.py          planners compared: figures and differences over users
planner_data.py         what a planner is trained on: prompts, targets and what was left out
planner_model.py        the base model, its fine-tuning, and the model with an adapter
planner_checkpoints.py  the folder of a training, and the best checkpoint
rl_data.py              prompts for PPO and GRPO, pairs for DPO, and a trainer's outputs
rewards.py              asking a reward server; the reward functions of TRL and verl
reward_server.py        rewards over HTTP
plan_scoring.py planner_training.py rl_export.py reward_service.py    the commands
"""
