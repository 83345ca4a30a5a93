"""What a user does from a release on, a module each: plain arguments in, a result out.

Release    new_release.py releases.py pair_audit.py
Train      planner_training.py plan_scoring.py rl_data.py reward_service.py
"""
