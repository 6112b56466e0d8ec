-- No key that was there is an on-call key: checked without keeping anybody out.
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.api_keys VALIDATE CONSTRAINT api_keys_scope';
  EXECUTE 'ALTER TABLE action_gate.api_keys VALIDATE CONSTRAINT api_keys_admin_has_no_tenant';
END $$;
