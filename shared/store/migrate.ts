import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import type postgres from 'postgres'
import { connect, type DatabaseLocation } from './location.ts'

const migrationLock = 4_701_225_001

/**
 * Bring a database to the newest schema. Safe when several processes do it at once: one at a time holds an advisory
 * lock, the others find nothing left to do. The login needs the right to create roles the first time; everything is
 * owned by `action_gate_owner`, which cannot log in and is not the role the service runs under.
 */
export async function migrateDatabase(target: DatabaseLocation): Promise<void> {
  const sql = connect(target, { application_name: 'action-gate-migrate' }, 1)
  try {
    await sql`select pg_advisory_lock(${migrationLock})`
    await ensureRoles(sql)
    await sql.unsafe('set role action_gate_owner')
    await migrate(drizzle(sql), { migrationsFolder: migrationsFolder(), migrationsSchema: 'action_gate' })
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function ensureRoles(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    do $$
    declare wanted record;
    begin
      for wanted in select * from (values ('action_gate_owner', 'nologin'), ('action_gate_runtime', 'login')) r(name, attribute) loop
        if not exists (select from pg_roles where rolname = wanted.name) then
          begin
            execute format('create role %I %s', wanted.name, wanted.attribute);
          exception when duplicate_object or unique_violation then null; -- another database of the cluster was first
          end;
        end if;
        if not pg_has_role(current_user, wanted.name, 'member') then
          execute format('grant %I to current_user', wanted.name);
        end if;
      end loop;
      if not has_database_privilege('action_gate_owner', current_database(), 'create') then
        execute format('grant create on database %I to action_gate_owner', current_database());
      end if;
      if to_regnamespace('action_gate') is null then
        execute 'create schema action_gate authorization action_gate_owner';
      end if;
    end $$`)
}

/** The numbered SQL migrations stand in the repository's own folder, for the sources and for dist alike. */
function migrationsFolder(): string {
  const candidates = ['../../drizzle', '../../../drizzle'].map(path =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const found = candidates.find(path => existsSync(`${path}/meta/_journal.json`))
  if (!found) throw new Error(`no migrations found in ${candidates.join(' or ')}`)
  return found
}
