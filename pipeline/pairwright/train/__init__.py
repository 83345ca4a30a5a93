"""What of the papers touches training and generation.

rl/           prompts for PPO and GRPO, and rewards over HTTP
planner/      training a planner on gold aspects, and choosing a checkpoint
plan_score/   comparing planners on held-out gold aspects
completions/  writing a question's body as its user would
gold.py       items with gold aspects, and how many had none
means.py      means over items, with intervals by user
matching.py   how near planned aspects come to gold ones
"""
