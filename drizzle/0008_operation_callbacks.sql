ALTER TABLE "action_gate"."dispatched_operations" ALTER COLUMN "url" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "action_gate"."dispatched_operations" ADD COLUMN "called_back" text;