DROP INDEX "action_gate"."execution_jobs_due_by_tenant";--> statement-breakpoint
ALTER TABLE "action_gate"."execution_jobs" ADD COLUMN "target_system" text;--> statement-breakpoint
CREATE INDEX "execution_jobs_due_by_system" ON "action_gate"."execution_jobs" USING btree ("tenant_id","target_system","next_run_at","action_id") WHERE state = 'pending';