GRANT SELECT, INSERT, DELETE ON action_gate.queue_samples TO action_gate_runtime;
