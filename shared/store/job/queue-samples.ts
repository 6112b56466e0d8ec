import type { QueueSample } from '../../contract/queue.ts'
import type { Writer } from '../postgres/open.ts'

/** Whether this minute has no sample yet. */
export async function wantsSample(writer: Writer): Promise<boolean> {
  const text = `
    select not exists (select from queue_samples where at = date_trunc('minute', clock_timestamp())) as wanted`
  const [row] = await writer.query<{ wanted: boolean }>('wants_sample', text, [])
  return row?.wanted ?? false
}

/** Write down what the queue is in this minute, once, and forget what is older than a day. */
export async function insertSample(writer: Writer, sample: Omit<QueueSample, 'at'>): Promise<void> {
  const { due, later, leased, unknown, held, workers } = sample
  await writer.query('insert_sample', insertSql, [due, later, leased, unknown, held, workers])
}

const insertSql = `
with forgotten as (delete from queue_samples where at < clock_timestamp() - interval '1 day')
insert into queue_samples (at, due, later, leased, unknown, held, workers)
values (date_trunc('minute', clock_timestamp()), $1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4)
on conflict (at) do nothing`
