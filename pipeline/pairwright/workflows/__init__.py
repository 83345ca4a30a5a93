"""What a user does from start to end, a module each: plain arguments in, a result out.

Build      run_build.py run_status.py
           recording.py workers/ example_study.py doctor.py
Verify     tasks.py answers.py study.py departures.py
           study_plan.py decision_report.py annotation_server.py
Release    new_release.py releases.py pair_audit.py
Evaluate   evaluation.py scorers.py
Downstream best_samples.py output_judging.py completion_writing.py
Train      planner_training.py plan_scoring.py rl_data.py reward_service.py
Shared     run_models.py (endpoints), scoring.py (what asks models), progress.py,
           output.py (reports)
"""
