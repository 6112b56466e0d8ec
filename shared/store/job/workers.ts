import type { Reader, Writer } from '../postgres/open.ts'

export async function markWorker(writer: Writer, workerId: string, offer: string): Promise<void> {
  await writer.query('mark_worker', markSql, [workerId, offer])
}

const markSql = `
insert into workers (worker_id, offer) values ($1, $2)
on conflict (worker_id) do update set seen_at = clock_timestamp(), offer = excluded.offer`

/** Returns the offers of up to 100 workers seen within `ms` milliseconds; null for a worker that states none. */
export async function readOffers(reader: Reader, ms: number): Promise<(string | null)[]> {
  const text = `
    select offer from workers where seen_at >= clock_timestamp() - $1::int8 * interval '1 millisecond'
    order by seen_at desc limit 100`
  return (await reader.query<{ offer: string | null }>('read_offers', text, [ms])).map(({ offer }) => offer)
}

export function forgetWorkers(writer: Writer): void {
  writer.ahead('forget_workers', "delete from workers where seen_at < now() - interval '1 day'", [])
}

export async function workerSeen(reader: Reader, ms: number): Promise<boolean> {
  const text = `
    select exists (
      select from workers where seen_at >= clock_timestamp() - $1::int8 * interval '1 millisecond'
    ) as seen`
  const [row] = await reader.query<{ seen: boolean }>('worker_seen', text, [ms])
  return row?.seen ?? false
}

export async function countWorkers(reader: Reader, ms: number): Promise<number> {
  const text = `
    select count(*)::int4 as count from workers where seen_at >= clock_timestamp() - $1::int8 * interval '1 millisecond'`
  const [row] = await reader.query<{ count: number }>('count_workers', text, [ms])
  return row?.count ?? 0
}
