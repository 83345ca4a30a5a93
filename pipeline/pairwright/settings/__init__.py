"""What people edit, loaded and checked: config, rules of a build, prompts, domains and scales.

config.py rules.py endpoints.py    a build's config, the numbers that it decides by, its endpoints
source_rules.py study_rules.py release_info.py    the source, people's votes, a release's pages
api_keys.py toml_files.py    keys that are not to be in files; a TOML file, read with clear errors
prompt.py template.py prompt_variables.py    the prompts of a run; what a file of them may hold
domains.py      domains with their categories, and the quality scales
"""
