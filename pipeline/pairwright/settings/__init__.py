"""What people edit, loaded and checked: config, rules of a build, prompts, domains and scales.

config.py endpoints.py    a run's config, and its endpoints
rules.py        the tables by which a build, a study and a release decide
prompt.py template.py prompt_variables.py    the prompts of a run; what a file of them may hold
domains.py      domains with their categories, and the quality scales
toml_files.py   a TOML file, read with clear errors
"""
