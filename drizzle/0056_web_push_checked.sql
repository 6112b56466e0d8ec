-- No endpoint that was there is a browser: checked without keeping anybody out.
DO $$
BEGIN
  EXECUTE 'ALTER TABLE action_gate.webhooks VALIDATE CONSTRAINT webhooks_sealed_url';
  EXECUTE 'ALTER TABLE action_gate.webhooks VALIDATE CONSTRAINT webhooks_subscriber';
END $$;
