"""What people edit, loaded and checked: config, rules of a build, prompts, domains and scales."""
