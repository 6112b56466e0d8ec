ALTER TABLE "action_gate"."api_keys" DROP CONSTRAINT "api_keys_scope";--> statement-breakpoint
ALTER TABLE "action_gate"."api_keys" ADD CONSTRAINT "api_keys_scope" CHECK ("action_gate"."api_keys"."scope" in ('agent', 'policy_author', 'approver', 'auditor', 'operator', 'admin')) NOT VALID;
