DROP INDEX "action_gate"."actions_by_status";--> statement-breakpoint
CREATE INDEX "actions_by_status" ON "action_gate"."actions" USING btree ("tenant_id","status","action_id" collate "C");