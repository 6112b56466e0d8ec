GRANT UPDATE (offer) ON action_gate.workers TO action_gate_runtime;
