CREATE TABLE "action_gate"."identities" (
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"account_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "identities_issuer_subject_pk" PRIMARY KEY("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "action_gate"."sign_ins" (
	"state_hash" "bytea" PRIMARY KEY NOT NULL,
	"browser_hash" "bytea" NOT NULL,
	"issuer" text NOT NULL,
	"organization" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sign_ins_hash_length" CHECK (length("action_gate"."sign_ins"."state_hash") = 32 and length("action_gate"."sign_ins"."browser_hash") = 32)
);
--> statement-breakpoint
ALTER TABLE "action_gate"."accounts" ALTER COLUMN "password_hash" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "action_gate"."sessions" ADD COLUMN "issuer" text;--> statement-breakpoint
ALTER TABLE "action_gate"."sessions" ADD COLUMN "subject" text;--> statement-breakpoint
ALTER TABLE "action_gate"."sessions" ADD COLUMN "auth_time" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "action_gate"."sessions" ADD COLUMN "acr" text;--> statement-breakpoint
ALTER TABLE "action_gate"."identities" ADD CONSTRAINT "identities_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "action_gate"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "identities_by_account" ON "action_gate"."identities" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "sign_ins_by_expiry" ON "action_gate"."sign_ins" USING btree ("expires_at");