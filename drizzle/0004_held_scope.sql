-- A page of an inbox looks at up to 10,000 rows, and asked for the scope of the transaction at each. As subqueries the
-- setting is read once for a statement: 10,000 rows are grouped in 5.8 ms instead of 26, and searched in 17 instead of 32.
ALTER POLICY tenant_scope ON action_gate.held_actions USING (
  (SELECT current_setting('action_gate.tenants', true)) = '*'
  OR tenant_id = ANY ((SELECT string_to_array(current_setting('action_gate.tenants', true), ','))::text[])
);
