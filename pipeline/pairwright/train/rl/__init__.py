"""Reinforcement learning, as data and hooks for TRL and verl; neither is imported here.

prompts.py       the questions of a release as prompts, each with its split
trl_data.py      prompts and pairs as TRL reads them
verl_data.py     prompts as verl reads them
export.py        the folder that is written

wire.py          what is posted to a reward server, and what it says
server.py        the server
client.py        asking it, with retries
trl_reward.py    the reward function of TRL's trainers
verl_reward.py   the reward function of verl

rollouts.py      what a trainer wrote down of its outputs, for `pairwright downstream judge-outputs`
"""
