-- A link may be ended by whose it is.
GRANT DELETE ON action_gate.identities TO action_gate_runtime;
