-- Who was an operator stays: a role changes, an invitation is used once, and who was removed opens nothing any more.
GRANT SELECT, INSERT ON action_gate.operators TO action_gate_runtime;
GRANT UPDATE (role, issuer, subject, removed_at) ON action_gate.operators TO action_gate_runtime;
-- A session ends, and is put off while it is used.
GRANT SELECT, INSERT, DELETE ON action_gate.operator_sessions TO action_gate_runtime;
GRANT UPDATE (idle_expires_at) ON action_gate.operator_sessions TO action_gate_runtime;
-- A sign-in that was taken or is over goes.
GRANT SELECT, INSERT, DELETE ON action_gate.operator_sign_ins TO action_gate_runtime;
