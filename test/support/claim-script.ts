import { claimSql } from '../../shared/store/job/claim/claim-statement.ts'
import { rotationSql } from '../../shared/store/job/claim/tenant-rotation.ts'
import { fewRowsByIndex } from '../../shared/store/postgres/open.ts'

/** Where the statements of a claim are whole, for people and psql. */
export const claimScriptPath = 'shared/store/job/claim/claim.sql'

/** Both statements with what a session of the service sets, in a transaction that changes nothing. */
export function claimScript(): string {
  const settings = Object.entries(fewRowsByIndex).map(([name, value]) => `set local ${name} = ${value};`)
  return `-- A claim as PostgreSQL gets it, written by the tests (UPDATE_DOCUMENTS=1). It locks ten jobs that are due, shows them, and
-- ends without a change:  psql "$DATABASE_URL" -f ${claimScriptPath}
-- For its plan put "explain (analyze, buffers)" before an execute. An "offset 0" is an optimization fence (planner.ts).

begin;
set local role action_gate_runtime;
set local search_path = action_gate;
set local action_gate.tenants = '*';
${settings.join('\n')}

prepare rotate_tenants (text, int4, timestamptz) as${plain(rotationSql)};

prepare claim_due (int4, int4, text[], text[], int4[], int4, int4, int4) as${plain(claimSql)};

execute rotate_tenants ('', 32, '-infinity');
execute claim_due (10, 10, '{}', '{}', '{}', 10, 1000, 1000);

deallocate rotate_tenants;
deallocate claim_due;
rollback;
`
}

/** Without the blanks that a statement has where its parts meet. */
function plain(text: string): string {
  return text.replaceAll(/[ \t]+$/gm, '')
}
