-- Every key that was there is of an agent, an approver or an operator: checked without keeping anybody out.
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.api_keys VALIDATE CONSTRAINT api_keys_scope';
END $$;
