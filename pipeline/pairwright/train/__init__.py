"""Train: what the papers do with preferences beyond ranking them.

rl/   prompts for PPO and GRPO, and rewards over HTTP
"""
