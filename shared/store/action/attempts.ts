/** SQL: milliseconds since the first event of the action of job `j` that meets a condition; null where there is none. */
export function sinceFirst(condition: string): string {
  return `(
    select extract(epoch from clock_timestamp() - (convert_from(e.event, 'UTF8')::jsonb ->> 'at')::timestamptz)::float8 * 1000
    from action_events e where e.action_id = j.action_id and e.${condition} order by e.sequence limit 1
  )`
}

/** SQL: of a payload `p` of an attempt, how the downstream was asked for it; null where that is not recorded. */
export const requestHash = `convert_from(p.payload, 'UTF8')::jsonb #>> '{actuator,request_hash}'`

/** SQL: the payload `p` of the latest attempt of the action of job `j`. */
export const latestAttempt = `
  from action_events e join event_payloads p using (action_id, sequence)
  where e.action_id = j.action_id and e.kind = 'execution_attempt' order by e.sequence desc limit 1`
