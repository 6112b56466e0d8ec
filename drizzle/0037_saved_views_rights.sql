-- What a person looks at again and again is theirs to change; it goes when they are removed.
GRANT SELECT, INSERT, DELETE ON action_gate.saved_views TO action_gate_runtime;
GRANT UPDATE (views, updated_at) ON action_gate.saved_views TO action_gate_runtime;
