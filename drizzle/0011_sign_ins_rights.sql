-- Who somebody is at an issuer is only added; a sign-in that was taken or is over goes.
GRANT SELECT, INSERT ON action_gate.identities, action_gate.sign_ins TO action_gate_runtime;
GRANT DELETE ON action_gate.sign_ins TO action_gate_runtime;
