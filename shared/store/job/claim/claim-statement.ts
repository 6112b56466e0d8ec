import { frozen, lockedColumns } from '../../action/locked-actions.ts'
import { optimizationFence } from '../../postgres/planner.ts'
import { latestAttempt, requestHash, sinceFirst } from '../job-sql.ts'
import { freezesInPartSql, isKnown, looksMax, worthMin } from './scan-cursors.ts'

/** Seconds for which a due job may be invisible, because the transaction that made it has not committed. */
const commitSeconds = 2

/**
 * The second statement of a claim; `claim.sql` shows it as PostgreSQL gets it. The rotation passes its results as
 * settings of the transaction: the tenants in line, the earliest due time, and the tenant at which its walk ended.
 *
 * $1 most jobs of a tenant, $2 of one of its systems; $3, $4, $5 tenants, systems and numbers of the jobs that the
 * worker has; $6 most jobs in all; $7 most calls under way of a tenant, $8 of one of its systems.
 */
export const claimSql = `
with recursive

-- Calls under way of the tenants in line: by system, and in all.
busy as (
  select tenant_id, target_system, count(*) as calls
  from execution_jobs
  where state = 'leased' and tenant_id = any(string_to_array(current_setting('action_gate.in_line'), ','))
  group by tenant_id, target_system
),
busy_tenants as (select tenant_id, sum(calls) as calls from busy group by tenant_id),

-- What the worker has: by system, and in all.
held as (select * from unnest($3::text[], $4::text[], $5::int4[]) h(tenant_id, target_system, jobs)),
held_tenants as (select tenant_id, sum(jobs) as jobs from held group by tenant_id),

-- Tenants in their turns, each with the number of jobs for which it has room.
served as (
  select tenant_id, l.turn, least($1::int4 - coalesce(h.jobs, 0), $7::int4 - coalesce(b.calls, 0)) as room
  from unnest(string_to_array(current_setting('action_gate.in_line'), ',')) with ordinality l(tenant_id, turn)
  left join held_tenants h using (tenant_id)
  left join busy_tenants b using (tenant_id)
),

-- Their systems with due jobs: from one to the next by the index, however many jobs each has.
systems as (
  select s.tenant_id, x.target_system, x.next_run_at from served s cross join lateral (
    select target_system, next_run_at from execution_jobs
    where tenant_id = s.tenant_id and state = 'pending'
      and next_run_at >= current_setting('action_gate.pending_since')::timestamptz and next_run_at <= statement_timestamp()
    order by target_system, next_run_at limit 1
  ) x
  union all
  select s.tenant_id, x.target_system, x.next_run_at from systems s cross join lateral (
    select target_system, next_run_at from execution_jobs
    where tenant_id = s.tenant_id and target_system > s.target_system and state = 'pending'
      and next_run_at >= current_setting('action_gate.pending_since')::timestamptz and next_run_at <= statement_timestamp()
    order by target_system, next_run_at limit 1
  ) x
),

-- Those that nothing stops as a whole, each with how many of its jobs may run, and with the freezes that stop a part of them:
-- all up to the cursor are known to be frozen. (Columns, since row-level security lets no coalesce into the condition of an
-- index.)
open_systems as (
  select s.tenant_id, s.target_system, v.turn, v.room, a.room as system_room, greatest(0, least(a.room, $6::int4))::int8 as wanted,
    p.freezes, coalesce(k.next_run_at, '-infinity') as cursor_run_at, coalesce(k.action_id, '') as cursor_action_id
  from systems s join served v using (tenant_id) left join busy b using (tenant_id, target_system)
  left join held h using (tenant_id, target_system)
  cross join lateral (select least(v.room, $2::int4 - coalesce(h.jobs, 0), $8::int4 - coalesce(b.calls, 0)) as room) a
  cross join lateral (${freezesInPartSql}) p
  left join scan_cursors k
    on k.tenant_id = s.tenant_id and k.target_system = s.target_system and k.freezes = p.freezes and k.${isKnown}
  where not exists (
    select from freezes f
    where f.tenant_id = s.tenant_id and coalesce(f.system = s.target_system, true) and coalesce(f.operation, f.key_id) is null
  )
),

-- In how many jobs of each it is looked: in as many as may run, or until so many were found beside the frozen ones.
scanned_systems as (
  select *, case when freezes is not null then
      greatest(1, ${looksMax} / count(freezes) over (partition by tenant_id))
    end as looks
  from open_systems where wanted > 0
),

-- Their due jobs in order. PostgreSQL ends the look where enough were found, since it knows that count(*) only grows; of a
-- count of an expression version 15 does not.
scanned as (
  select g.*, y.* from scanned_systems g cross join lateral ${optimizationFence(`
    select * from (
      select x.*, count(*) filter (where not x.frozen)
          over (order by x.next_run_at, x.action_id rows between unbounded preceding and 1 preceding) as before
      from (
        select y.action_id, y.next_run_at, g.freezes is not null and exists (
            select from actions a where a.action_id = y.action_id and ${frozen('a', ['freeze', 'pause'])}
          ) as frozen
        from execution_jobs y
        where y.tenant_id = g.tenant_id and y.target_system = g.target_system and y.state = 'pending'
          and y.next_run_at >= current_setting('action_gate.pending_since')::timestamptz and y.next_run_at <= statement_timestamp()
          and y.next_run_at >= g.cursor_run_at and (y.next_run_at, y.action_id) > (g.cursor_run_at, g.cursor_action_id)
        order by y.next_run_at, y.action_id
        limit coalesce(g.looks, g.wanted)
      ) x
    ) z where before < g.wanted
  `)} y
),

-- How far all jobs of a system are frozen: up to the first that may run, or before which another may still be committed.
cursors as (
  select tenant_id, target_system, freezes, max(next_run_at) filter (where passed)::text as next_run_at,
    (array_agg(action_id order by looks_so_far desc) filter (where passed))[1] as action_id,
    count(*) = max(looks) as more, count(*) filter (where passed) >= ${worthMin} or max(cursor_action_id) <> '' as worth
  from (
    select *, row_number() over in_order as looks_so_far,
      bool_and(frozen and next_run_at < statement_timestamp() - interval '${commitSeconds} s') over in_order as passed
    from scanned where freezes is not null
    window in_order as (partition by tenant_id, target_system order by next_run_at, action_id)
  ) l
  group by tenant_id, target_system, freezes
),

-- What may run, within the room of its tenant; of all tenants the first ones first. The last one that a bound lets through
-- says so.
runnable as (
  select *, place >= room or before + 1 >= system_room as fills from (
    select l.*, row_number() over (partition by turn order by next_run_at, action_id) as place
    from scanned l where not frozen
  ) x
  where place <= room
),
chosen as (
  select * from runnable order by place, turn limit $6::int4
),

-- Their jobs, locked by all columns of the index that chose them, and then their actions.
j as (
  select x.*, c.place, c.turn, c.fills
  from chosen c cross join lateral (
    select * from execution_jobs y
    where y.tenant_id = c.tenant_id and y.target_system = c.target_system and y.next_run_at = c.next_run_at
      and y.action_id = c.action_id and y.state = 'pending'
    for update skip locked
  ) x
),
claimed as (
  select ${lockedColumns},
  nextval('lease_tokens') as token, j.place, j.turn, j.fills,
  extract(epoch from clock_timestamp() - j.next_run_at)::float8 * 1000 as waited_ms,
  case when j.maybe_executed then ${sinceFirst("kind = 'execution_attempt'")} end as tried_for_ms,
  case when j.maybe_executed then (select ${requestHash} ${latestAttempt}) end as request_hash,
  case when j.rounds > 0 then exists (select from late_results l where l.action_id = j.action_id) else false end as proven,
  convert_from(proposal.payload, 'UTF8') as proposal,
  convert_from(verdict.payload, 'UTF8') as verdict,
  r.kind as actuator_kind, r.settings as actuator_settings
  from j join actions a using (action_id)
  left join event_payloads proposal on proposal.action_id = a.action_id and proposal.sequence = 0
  left join event_payloads verdict on verdict.action_id = a.action_id and verdict.sequence = 1
  left join actuators r on r.tenant_id = a.tenant_id and r.name = a.target_system
  order by j.place, j.turn
  for update of a
)

-- One row at least, so that where the next claim goes on is answered though nothing was claimed.
select current_setting('action_gate.in_line') as in_line, current_setting('action_gate.seen_to') as seen_to, one.*, claimed.*
from (
  select
    case when current_setting('action_gate.seen_to') = '' and not current_setting('action_gate.left_out')::boolean
      then (least((select min(next_run_at) from systems), now()) - interval '${commitSeconds} s')::text
    end as pending_since,
    exists (select from open_systems where wanted = 0) as at_bound,
    exists (select from cursors where more) as scans_on,
    (
      select json_agg(json_build_object('tenant_id', tenant_id, 'target_system', target_system, 'freezes', freezes,
        'next_run_at', next_run_at, 'action_id', action_id, 'more', more))
      from cursors where action_id is not null and (more or worth)
    ) as cursors
) one left join claimed on true
order by place, turn`
