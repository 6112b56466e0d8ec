CREATE TABLE "action_gate"."queue_samples" (
	"at" timestamp (3) with time zone PRIMARY KEY NOT NULL,
	"due" integer NOT NULL,
	"later" integer NOT NULL,
	"leased" integer NOT NULL,
	"unknown" integer NOT NULL,
	"held" integer NOT NULL,
	"workers" integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX "execution_jobs_by_state" ON "action_gate"."execution_jobs" USING btree ("state","action_id" collate "C") WHERE state <> 'done';--> statement-breakpoint
CREATE INDEX "log_checkpoints_by_time" ON "action_gate"."log_checkpoints" USING btree ("signed_at");