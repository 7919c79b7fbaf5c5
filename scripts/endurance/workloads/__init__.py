"""What clients do at once, each with the rules that their record and the end have to follow.

A workload has `prepare`, `threads` (functions that run until `stage.is_over()`), and `judge`, after the faults.
"""
