import type { Writer } from '../postgres/open.ts'
import { forgetCursors } from './claim/scan-cursors.ts'
import { forgetDispatched } from './dispatched-operations.ts'
import { forgetWorkers } from './workers.ts'

interface Ending {
  table: string
  key: readonly string[]
  at: string
  keptDays: number
}

/** Tables with an index on `at`. Hours are kept 35 days, because the longest period of numbers is 30 days. */
const endings: readonly Ending[] = [
  { table: 'sessions', key: ['session_hash'], at: 'idle_expires_at', keptDays: 0 },
  { table: 'devices', key: ['device_hash'], at: 'expires_at', keptDays: 0 },
  { table: 'logout_tokens', key: ['issuer', 'jti_hash'], at: 'expires_at', keptDays: 0 },
  { table: 'sign_ins', key: ['state_hash'], at: 'expires_at', keptDays: 0 },
  { table: 'operator_sessions', key: ['session_hash'], at: 'idle_expires_at', keptDays: 0 },
  { table: 'operator_sign_ins', key: ['state_hash'], at: 'expires_at', keptDays: 0 },
  { table: 'password_resets', key: ['reset_id'], at: 'expires_at', keptDays: 0 },
  { table: 'invitations', key: ['invitation_id'], at: 'expires_at', keptDays: 30 },
  { table: 'number_hours', key: ['tenant_id', 'hour'], at: 'hour', keptDays: 35 },
]

const rowsMax = 1_000

/** Deletes the oldest expired rows. Checks the time again, so that a row that was just renewed stays. */
const forgetSql = ({ table, key, at }: Ending): string => {
  const isOver = (column: string) => `${column} <= now() - $1::int4 * interval '1 day'`
  const columns = key.join(', ')
  return `
delete from ${table} t using (
  select ${columns} from ${table} where ${isOver(at)} order by ${at} limit $2::int4
) old
where ${key.map(column => `t.${column} = old.${column}`).join(' and ')} and ${isOver(`t.${at}`)}`
}

const statements = endings.map(ending => ({
  name: `forget_${ending.table}`,
  text: forgetSql(ending),
  values: [ending.keptDays, rowsMax],
}))

/** Deletes expired rows in one round trip, without reading results. The next call deletes what remains. */
export function forgetEnded(writer: Writer): void {
  forgetCursors(writer)
  forgetDispatched(writer)
  forgetWorkers(writer)
  for (const { name, text, values } of statements) writer.ahead(name, text, values)
}
