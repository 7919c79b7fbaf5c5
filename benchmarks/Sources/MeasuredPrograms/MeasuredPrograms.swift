// Empty: what this target depends on are the programs that runner/services.py starts, so that one build links all.
