# Runs once, when the database is made. gate_migrate owns the database and becomes the owner of the tables to migrate;
# API and workers log in as the runtime role itself, which owns nothing. Neither may make roles. Passwords are those of
# the URLs in /run/secrets (or SECRETS), and are on no command line.
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'END'
\set owner_password `sed -n 's,^[a-z]*://[^:@/]*:\([^@]*\)@.*,\1,p' "${SECRETS:-/run/secrets}/database_owner_url"`
\set runtime_password `sed -n 's,^[a-z]*://[^:@/]*:\([^@]*\)@.*,\1,p' "${SECRETS:-/run/secrets}/database_url"`
begin;
create role action_gate_owner nologin;
create role action_gate_runtime login password :'runtime_password';
create role gate_migrate login password :'owner_password' in role action_gate_owner, action_gate_runtime;
alter database :"DBNAME" owner to gate_migrate;
revoke all on database :"DBNAME" from public;
grant connect on database :"DBNAME" to action_gate_runtime;
revoke all on schema public from public;
commit;
END
rm -f "${PGDATA%/*/*}/first-start"
sync
