CREATE TABLE "action_gate"."password_resets" (
	"reset_id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"token_hash" "bytea",
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now(),
	CONSTRAINT "password_resets_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "password_resets_hash_length" CHECK (length("action_gate"."password_resets"."token_hash") = 32)
);
--> statement-breakpoint
CREATE INDEX "password_resets_by_address" ON "action_gate"."password_resets" USING btree ("email");--> statement-breakpoint
CREATE INDEX "password_resets_by_expiry" ON "action_gate"."password_resets" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "password_resets_due" ON "action_gate"."password_resets" USING btree ("next_attempt_at") WHERE "action_gate"."password_resets"."next_attempt_at" is not null;