ALTER TABLE "action_gate"."webhooks" DROP CONSTRAINT "webhooks_sealed_url";--> statement-breakpoint
ALTER TABLE "action_gate"."webhooks" ADD COLUMN "subscriber" text;--> statement-breakpoint
ALTER TABLE "action_gate"."webhooks" ADD CONSTRAINT "webhooks_subscriber" CHECK (("action_gate"."webhooks"."format" = 'push') = ("action_gate"."webhooks"."subscriber" is not null)) NOT VALID;--> statement-breakpoint
ALTER TABLE "action_gate"."webhooks" ADD CONSTRAINT "webhooks_sealed_url" CHECK (("action_gate"."webhooks"."format" in ('slack', 'teams', 'push')) = ("action_gate"."webhooks"."sealed_url" is not null)) NOT VALID;
