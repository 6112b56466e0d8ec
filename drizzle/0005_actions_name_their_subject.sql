ALTER TABLE "action_gate"."actions" ALTER COLUMN "operation" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "action_gate"."actions" ALTER COLUMN "key_id" SET NOT NULL;