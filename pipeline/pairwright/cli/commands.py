"""Every command: the function that does its work, and what prints the result.

The signature of the function is the command's arguments and options, its docstring the help. Its
result is printed by a function, or by a template of `pages/templates/terminal`.
"""

GROUPS = {
    "human": "Have people verify the pairs of a run: blind tasks out, answers in, decisions.",
    "batch": "Have a build's calls answered by files: a Batch API, vllm run-batch, a recording.",
    "train": "Train planners on gold aspects, and policies on a release's questions.",
    "downstream": "Measure whether a good score on a release goes with good responses.",
}
COMMANDS = {
    "init": ("start:start_study", "init"),
    "build": ("construct.build:build", "cli.runs:print_build"),
    "status": ("construct.status:status", "cli.runs:print_status"),
    "show": ("construct.show:show", "cli.runs:print_lines"),
    "human plan": ("pairwright_human_eval.study:plan_study", "plan"),
    "human export": ("pairwright_human_eval.study:export_tasks", "export"),
    "human push": ("pairwright_human_eval.label_studio:push_tasks", "push"),
    "human status": ("pairwright_human_eval.study:study_status", "progress"),
    "human pull": ("pairwright_human_eval.label_studio:pull_answers", "cli.runs:print_import"),
    "human import": ("pairwright_human_eval.answers:import_answers", "cli.runs:print_import"),
    "human simulate": ("pairwright_human_eval.simulation:simulate_answers", "simulate"),
    "human report": ("pairwright_human_eval.report:decide", "report"),
    "human adjudicate": ("pairwright_human_eval.study:export_adjudication", "adjudicate"),
    "human withdraw": ("pairwright_human_eval.answers:withdraw_person", "withdraw"),
    "agreement": ("pairwright_human_eval.votes:agreement_of", "agreement"),
    "release": ("releases.write:release", "cli.releases:print_release"),
    "audit": ("audits.run:audit", "cli.releases:print_audit"),
    "evaluate": ("evaluation.evaluate:evaluate", "cli.evaluation:print_evaluation"),
    "leaderboard": ("evaluation.evaluate:leaderboard", "cli.evaluation:print_leaderboard"),
    "check": ("releases.check:check", "cli.releases:print_check"),
    "diff": ("releases.diff:diff", "cli.releases:print_diff"),
    "forget": ("releases.forget:forget", "cli.releases:print_removals"),
    "doctor": ("models.doctor:examine_endpoints", "cli.runs:print_examination"),
    "batch ingest": ("models.batch_service:ingest_replies", "cli.runs:print_ingested"),
    "batch record": ("models.recording:record_run", "recording"),
    "batch submit": ("models.batch_service:submit_batches", "cli.runs:print_ingested"),
    "train planner": ("training.train_planner:train_planner", "train"),
    "train score": ("training.score_planners:score_planners", "cli.evaluation:print_downstream"),
    "train export-rl": ("training.export_rl:export_rl", "export_rl"),
    "train reward-server": ("training.reward_server:serve_rewards", "reward_server"),
    "downstream best-of-n": ("evaluation.best_of_n:best_of_n", "cli.evaluation:print_downstream"),
    "downstream judge-outputs": (
        "evaluation.outputs:judge_outputs",
        "cli.evaluation:print_downstream",
    ),
    "downstream completions": (
        "evaluation.completions:completions",
        "cli.evaluation:print_downstream",
    ),
    "downstream correlate": ("evaluation.correlate:correlate", "cli.evaluation:print_downstream"),
}
