"""Planners and policies: comparing and training the one, and data and rewards to train the other.

gold.py       items with gold aspects, how near planned aspects come to them, and means by user
plan_score/   comparing planners on held-out gold aspects
planner/      training a planner on gold aspects, and choosing a checkpoint
completions/  writing a question's body as its user would
rl/           prompts for PPO and GRPO, and rewards over HTTP
"""
