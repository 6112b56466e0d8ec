import type { Reader, Writer } from '../postgres/open.ts'

export interface UnwitnessedLog {
  tenant_id: string
  signed_size: number
  witnessed_size: number
  note: string
}

export interface WitnessPace {
  /** Shortest time between two requests to the witness about the same log, in milliseconds. */
  pauseMs: number
  /** Longest time between two requests about the same log, in milliseconds, even if it has not grown. */
  heartbeatMs: number
  limit: number
}

/** Claims logs for requests to the witness, up to `limit` of each kind. Two processes never claim the same log. */
export async function claimForWitness(writer: Writer, pace: WitnessPace): Promise<UnwitnessedLog[]> {
  const rows = await writer.query<{ [Name in keyof UnwitnessedLog]: string }>('claim_for_witness', claimSql, [
    pace.pauseMs,
    pace.heartbeatMs,
    pace.limit,
  ])
  return rows.map(row => ({
    ...row,
    signed_size: Number(row.signed_size),
    witnessed_size: Number(row.witnessed_size),
  }))
}

const askedBefore = (ms: string): string =>
  `witness_asked_at < statement_timestamp() - ${ms}::float8 * interval '1 millisecond'`

/** Finds logs without any request, logs that grew since the last request, and logs not requested for long. */
const claimSql = `
with fresh as (
  select tenant_id from tenant_logs where witnessed_size < signed_size and witness_asked_at is null
  order by witness_asked_at limit $3::int4 for update skip locked
),
grown as (
  select tenant_id from tenant_logs where witnessed_size < signed_size and ${askedBefore('$1')}
  order by witness_asked_at limit $3::int4 for update skip locked
),
silent as (
  select tenant_id from tenant_logs where signed_size > 0 and ${askedBefore('$2')}
  order by witness_asked_at limit $3::int4 for update skip locked
),
asked as (
  update tenant_logs l set witness_asked_at = clock_timestamp()
  where tenant_id = any(array(select tenant_id from fresh union select tenant_id from grown union select tenant_id from silent))
  returning l.tenant_id, l.signed_size, l.witnessed_size
)
select a.tenant_id, a.signed_size::text, a.witnessed_size::text, c.note
from asked a join log_checkpoints c on c.tenant_id = a.tenant_id and c.size = a.signed_size`

/** Stores the witness's signature, unless a signature of a larger size is stored already. */
export async function recordWitnessed(
  writer: Writer,
  { tenant_id, size, cosignature }: { tenant_id: string; size: number; cosignature: string },
): Promise<void> {
  const text = `
    update tenant_logs set witnessed_size = $2::int8, cosignature = $3
    where tenant_id = $1 and witnessed_size <= $2::int8`
  await writer.query('record_witnessed', text, [tenant_id, size, cosignature])
}

export async function readSignedSize(reader: Reader, tenantId: string): Promise<number> {
  const text = 'select signed_size::text as size from tenant_logs where tenant_id = $1'
  const [row] = await reader.query<{ size: string }>('read_signed_size', text, [tenantId])
  return Number(row?.size ?? 0)
}
