ALTER TABLE "action_gate"."kept_places" ADD COLUMN "reached_run_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "action_gate"."kept_places" ADD COLUMN "reached_action_id" text;