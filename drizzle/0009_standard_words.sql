ALTER TABLE "action_gate"."api_keys" RENAME COLUMN "lineage" TO "holder";
--> statement-breakpoint
ALTER TABLE "action_gate"."tenants" RENAME COLUMN "governing_version" TO "rules_version";
