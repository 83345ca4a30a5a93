"""Planners and policies: data and rewards to train them, and the comparison of planners.

planner_data.py       the file of a training, items with gold aspects, what a planner learns of each
planner_model.py      the model, its fine-tuning and its checkpoints, by TRL and PEFT
rewards.py            asking a reward server; the reward functions of TRL and verl
train_planner.py score_planners.py export_rl.py reward_server.py    the commands
"""
