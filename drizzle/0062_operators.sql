CREATE TABLE "action_gate"."operator_sessions" (
	"session_hash" "bytea" PRIMARY KEY NOT NULL,
	"operator_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"idle_expires_at" timestamp (3) with time zone NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"auth_time" timestamp (3) with time zone,
	"acr" text,
	"sid" text,
	CONSTRAINT "operator_sessions_hash_length" CHECK (length("action_gate"."operator_sessions"."session_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."operator_sign_ins" (
	"state_hash" "bytea" PRIMARY KEY NOT NULL,
	"browser_hash" "bytea" NOT NULL,
	"issuer" text NOT NULL,
	"invitation_hash" "bytea",
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_sign_ins_hash_length" CHECK (length("action_gate"."operator_sign_ins"."state_hash") = 32 and length("action_gate"."operator_sign_ins"."browser_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "action_gate"."operators" (
	"operator_id" text PRIMARY KEY NOT NULL,
	"label" text NOT NULL,
	"role" text NOT NULL,
	"issuer" text,
	"subject" text,
	"invitation_hash" "bytea" NOT NULL,
	"invitation_expires_at" timestamp (3) with time zone NOT NULL,
	"invited_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"removed_at" timestamp (3) with time zone,
	CONSTRAINT "operators_invitation_hash_unique" UNIQUE("invitation_hash"),
	CONSTRAINT "operators_role" CHECK ("action_gate"."operators"."role" in ('operator', 'on_call')),
	CONSTRAINT "operators_identity" CHECK (("action_gate"."operators"."issuer" is null) = ("action_gate"."operators"."subject" is null)),
	CONSTRAINT "operators_hash_length" CHECK (length("action_gate"."operators"."invitation_hash") = 32)
);
--> statement-breakpoint
ALTER TABLE "action_gate"."operator_sessions" ADD CONSTRAINT "operator_sessions_operator_id_operators_operator_id_fk" FOREIGN KEY ("operator_id") REFERENCES "action_gate"."operators"("operator_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "operator_sessions_by_operator" ON "action_gate"."operator_sessions" USING btree ("operator_id","created_at");--> statement-breakpoint
CREATE INDEX "operator_sessions_by_idle_expiry" ON "action_gate"."operator_sessions" USING btree ("idle_expires_at");--> statement-breakpoint
CREATE INDEX "operator_sessions_by_identity" ON "action_gate"."operator_sessions" USING btree ("issuer","subject");--> statement-breakpoint
CREATE INDEX "operator_sign_ins_by_expiry" ON "action_gate"."operator_sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "operators_by_identity" ON "action_gate"."operators" USING btree ("issuer","subject") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "operators_by_time" ON "action_gate"."operators" USING btree ("created_at","operator_id");