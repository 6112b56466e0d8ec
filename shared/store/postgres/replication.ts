import type { Reader } from './open.ts'

export interface ReplicationLag {
  /** Replication slots that no replica reads at the moment. */
  unread_slots: number
  /** Bytes of WAL that the server keeps for the replication slot that is furthest behind; 0 without slots. */
  wal_kept_bytes: number
}

/** Reads replication slots, because every role may. `pg_stat_replication` shows replicas only to `pg_monitor`. */
export async function measureReplication(reader: Reader): Promise<ReplicationLag> {
  const text = `
    select count(*) filter (where not active)::int4 as unread_slots,
      coalesce(max(greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))), 0)::float8 as wal_kept_bytes
    from pg_catalog.pg_replication_slots`
  const [row] = await reader.query<ReplicationLag>('measure_replication', text, [])
  return row ?? { unread_slots: 0, wal_kept_bytes: 0 }
}
