ALTER TABLE "action_gate"."execution_jobs" DROP CONSTRAINT "execution_jobs_attempts";--> statement-breakpoint
ALTER TABLE "action_gate"."execution_jobs" ADD COLUMN "uncounted" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "action_gate"."execution_jobs" ADD CONSTRAINT "execution_jobs_attempts" CHECK ("action_gate"."execution_jobs"."uncounted" >= 0 and "action_gate"."execution_jobs"."attempt" between 0 and "action_gate"."execution_jobs"."max_attempts" + "action_gate"."execution_jobs"."rounds" + "action_gate"."execution_jobs"."uncounted") NOT VALID;
