/** SQL: milliseconds since the first event of the action of job `j` that meets a condition; null where there is none. */
export function sinceFirst(condition: string): string {
  return `(
    select extract(epoch from clock_timestamp() - (convert_from(e.event, 'UTF8')::jsonb ->> 'at')::timestamptz)::float8 * 1000
    from action_events e where e.action_id = j.action_id and e.${condition} order by e.sequence limit 1
  )`
}
