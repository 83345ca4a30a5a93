"""Reinforcement learning, as data and hooks for TRL and verl; neither is imported here.

prompt_tables.py  the questions of a release as tables of prompts, for TRL and for verl
export.py         the folder that is written

wire.py           what is posted to a reward server, and what it says
server.py         the server
client.py         asking it, with retries
trl_reward.py     the reward function of TRL's trainers
verl_reward.py    the reward function of verl

rollouts.py       a trainer's dump of its outputs, for `pairwright downstream judge-outputs`
"""
