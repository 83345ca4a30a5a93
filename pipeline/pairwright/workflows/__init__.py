"""What a user does from a release on, a module each: plain arguments in, a result out.

Release    new_release.py releases.py pair_audit.py
Evaluate   evaluation.py scorers.py
Downstream best_samples.py output_judging.py completion_writing.py
Train      planner_training.py plan_scoring.py rl_data.py reward_service.py
Shared     scoring.py (what asks models), output.py (reports)
"""
