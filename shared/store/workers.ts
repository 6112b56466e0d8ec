import type { Reader, Writer } from './open.ts'

/** A worker says that it is there. */
export async function markWorker(writer: Writer, workerId: string): Promise<void> {
  await writer.query('mark_worker', markSql, [workerId])
}

const markSql = `
insert into workers (worker_id) values ($1)
on conflict (worker_id) do update set seen_at = clock_timestamp()`

/** Forget workers that were not seen for so long. */
export async function forgetWorkers(writer: Writer, ms: number): Promise<void> {
  const text = `delete from workers where seen_at < clock_timestamp() - $1::int8 * interval '1 millisecond'`
  await writer.query('forget_workers', text, [ms])
}

/** Whether some worker was seen within so long, by the database's clock. */
export async function workerSeen(reader: Reader, ms: number): Promise<boolean> {
  const text = `
    select exists (
      select from workers where seen_at >= clock_timestamp() - $1::int8 * interval '1 millisecond'
    ) as seen`
  const [row] = await reader.query<{ seen: boolean }>('worker_seen', text, [ms])
  return row?.seen ?? false
}

/** Number of workers that were seen within so long. */
export async function countWorkers(reader: Reader, ms: number): Promise<number> {
  const text = `
    select count(*)::int4 as count from workers where seen_at >= clock_timestamp() - $1::int8 * interval '1 millisecond'`
  const [row] = await reader.query<{ count: number }>('count_workers', text, [ms])
  return row?.count ?? 0
}
