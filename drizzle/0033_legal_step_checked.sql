ALTER TABLE "action_gate"."action_events" DROP CONSTRAINT "action_events_legal_transition";--> statement-breakpoint
DROP INDEX "action_gate"."execution_jobs_due_by_tenant";--> statement-breakpoint
DROP INDEX "action_gate"."execution_jobs_inquiries";--> statement-breakpoint
ALTER TABLE "action_gate"."action_events" ADD CONSTRAINT "action_events_legal_transition" CHECK ((coalesce(status_from, '') || '>' || kind || '>' || status_to)::action_gate.legal_step is not null) NOT VALID;
