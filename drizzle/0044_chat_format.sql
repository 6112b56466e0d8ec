ALTER TABLE "action_gate"."webhooks" ADD COLUMN "sealed_url" "bytea";--> statement-breakpoint
ALTER TABLE "action_gate"."webhooks" ADD CONSTRAINT "webhooks_sealed_url" CHECK (("action_gate"."webhooks"."format" in ('slack', 'teams')) = ("action_gate"."webhooks"."sealed_url" is not null)) NOT VALID;
