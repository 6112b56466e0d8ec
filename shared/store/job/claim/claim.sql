-- A claim as PostgreSQL gets it, written by the tests (UPDATE_DOCUMENTS=1). It locks ten jobs that are due, shows them, and
-- ends without a change:  psql "$DATABASE_URL" -f shared/store/job/claim/claim.sql
-- For its plan put "explain (analyze, buffers)" before an execute. An "offset 0" is an optimization fence (planner.ts).

begin;
set local role action_gate_runtime;
set local search_path = action_gate;
set local action_gate.tenants = '*';
set local plan_cache_mode = force_generic_plan;
set local enable_seqscan = off;
set local enable_bitmapscan = off;
set local enable_hashjoin = off;
set local enable_mergejoin = off;
set local jit = off;

prepare rotate_tenants (text, int4, timestamptz) as
with recursive

-- From one tenant with due jobs to the next by the index: first those after $1, then those up to it.
onward as (
  (
    select 1 as scanned, tenant_id from execution_jobs
    where state = 'pending' and tenant_id > $1 and next_run_at >= $3::timestamptz and next_run_at <= now()
    order by tenant_id limit 1
  )
  union all
  select w.scanned + 1, x.tenant_id from onward w cross join lateral (
    select tenant_id from execution_jobs
    where state = 'pending' and tenant_id > w.tenant_id and next_run_at >= $3::timestamptz and next_run_at <= now()
    order by tenant_id limit 1
  ) x
  where w.scanned < 256
),
again as (
  (
    select 1 as scanned, tenant_id from execution_jobs
    where state = 'pending' and tenant_id <= $1 and next_run_at >= $3::timestamptz and next_run_at <= now()
    order by tenant_id limit 1
  )
  union all
  select w.scanned + 1, x.tenant_id from again w cross join lateral (
    select tenant_id from execution_jobs
    where state = 'pending' and tenant_id > w.tenant_id and tenant_id <= $1
      and next_run_at >= $3::timestamptz and next_run_at <= now()
    order by tenant_id limit 1
  ) x
  where w.scanned < 256
),
found as (select 1 as part, * from onward union all select 2, * from again),

-- Tenants that are stopped as a whole do not stand in line.
going as (
  select * from found f
  where not exists (
    select from freezes z where z.tenant_id = f.tenant_id and coalesce(z.system, z.operation, z.key_id) is null
  )
),
first as (select part, tenant_id from going order by part, tenant_id limit $2::int4),

-- The last tenant that was looked at, where there may be more: the line is full, or a walk came to its bound.
seen as (
  select part, tenant_id, true as full_line
  from (select * from first order by part, tenant_id offset $2::int4 - 1) last
  where (select count(*) from going) > $2::int4
  union all
  select part, tenant_id, false from found where scanned = 256
),

-- The locks are taken in one order everywhere, so that no two claims wait for each other.
locked as (
  select part, tenant_id, pg_advisory_xact_lock(hashtextextended(tenant_id, 4701225003))::text as nothing
  from (select part, tenant_id from first order by tenant_id) ordered
)

select
  set_config('action_gate.in_line', coalesce(string_agg(tenant_id || nothing, ',' order by part, tenant_id), ''), true),
  set_config('action_gate.pending_since', $3::timestamptz::text, true),
  set_config('action_gate.seen_to',
    coalesce((select tenant_id from seen order by full_line desc, part limit 1), ''), true),
  set_config('action_gate.left_out', ((select count(*) from found) > (select count(*) from going))::text, true)
from locked;

prepare claim_due (int4, int4, text[], text[], int4[], int4, int4, int4) as
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
  cross join lateral (
    select md5(string_agg(f.freeze_id, ',' order by f.freeze_id)) as freezes from freezes f
    where f.tenant_id = s.tenant_id and coalesce(f.operation, f.key_id) is not null and coalesce(f.system = s.target_system, true)
  ) p
  left join scan_cursors k
    on k.tenant_id = s.tenant_id and k.target_system = s.target_system and k.freezes = p.freezes and k.looked_at between statement_timestamp() - interval '60 s' and statement_timestamp()
  where not exists (
    select from freezes f
    where f.tenant_id = s.tenant_id and coalesce(f.system = s.target_system, true) and coalesce(f.operation, f.key_id) is null
  )
),

-- In how many jobs of each it is looked: in as many as may run, or until so many were found beside the frozen ones.
scanned_systems as (
  select *, case when freezes is not null then
      greatest(1, 1000 / count(freezes) over (partition by tenant_id))
    end as looks
  from open_systems where wanted > 0
),

-- Their due jobs in order. PostgreSQL ends the look where enough were found, since it knows that count(*) only grows; of a
-- count of an expression version 15 does not.
scanned as (
  select g.*, y.* from scanned_systems g cross join lateral (
    select * from (
      select x.*, count(*) filter (where not x.frozen)
          over (order by x.next_run_at, x.action_id rows between unbounded preceding and 1 preceding) as before
      from (
        select y.action_id, y.next_run_at, g.freezes is not null and exists (
            select from actions a where a.action_id = y.action_id and exists (
    select from freezes f where f.tenant_id = a.tenant_id and f.effect in ('freeze', 'pause')
      and coalesce(f.system = a.target_system, true) and coalesce(f.operation = a.operation, true)
      and coalesce(f.key_id = a.key_id, true)
  )
          ) as frozen
        from execution_jobs y
        where y.tenant_id = g.tenant_id and y.target_system = g.target_system and y.state = 'pending'
          and y.next_run_at >= current_setting('action_gate.pending_since')::timestamptz and y.next_run_at <= statement_timestamp()
          and y.next_run_at >= g.cursor_run_at and (y.next_run_at, y.action_id) > (g.cursor_run_at, g.cursor_action_id)
        order by y.next_run_at, y.action_id
        limit coalesce(g.looks, g.wanted)
      ) x
    ) z where before < g.wanted
   offset 0) y
),

-- How far all jobs of a system are frozen: up to the first that may run, or before which another may still be committed.
cursors as (
  select tenant_id, target_system, freezes, max(next_run_at) filter (where passed)::text as next_run_at,
    (array_agg(action_id order by looks_so_far desc) filter (where passed))[1] as action_id,
    count(*) = max(looks) as more, count(*) filter (where passed) >= 50 or max(cursor_action_id) <> '' as worth
  from (
    select *, row_number() over in_order as looks_so_far,
      bool_and(frozen and next_run_at < statement_timestamp() - interval '2 s') over in_order as passed
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
  select
  a.action_id, a.tenant_id, a.status, a.target_system, a.key_id, a.proposal_hash, a.leaf_hashes, a.traceparent,
  coalesce(a.held_until <= clock_timestamp(), false) as hold_expired, exists (
    select from freezes f where f.tenant_id = a.tenant_id and f.effect in ('freeze')
      and coalesce(f.system = a.target_system, true) and coalesce(f.operation = a.operation, true)
      and coalesce(f.key_id = a.key_id, true)
  ) as frozen,
  case when a.status = 'pending_approval' then (
    select to_json(v) from event_payloads p, json_to_record(convert_from(p.payload, 'UTF8')::json)
      v(approvals_required int4, proposer_holder text, request_hash text, route json, route_hash text)
    where p.action_id = a.action_id and p.sequence = 1
  ) end as held,
  to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, extract(epoch from clock_timestamp() - a.created_at)::float8 * 1000 as age_ms,
  j.state, j.attempt, j.max_attempts, j.lease_owner, j.lease_token,
  coalesce(j.lease_expires_at <= clock_timestamp(), false) as lease_expired, j.maybe_executed, j.key_honoured,
  j.rounds, j.uncounted, j.leases_lost, to_char(j.retry_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as retry_until, j.needs_operator, j.called_back,
  nextval('lease_tokens') as token, j.place, j.turn, j.fills,
  extract(epoch from clock_timestamp() - j.next_run_at)::float8 * 1000 as waited_ms,
  case when j.maybe_executed then (
    select extract(epoch from clock_timestamp() - (convert_from(e.event, 'UTF8')::jsonb ->> 'at')::timestamptz)::float8 * 1000
    from action_events e where e.action_id = j.action_id and e.kind = 'execution_attempt' order by e.sequence limit 1
  ) end as tried_for_ms,
  case when j.maybe_executed then (select convert_from(p.payload, 'UTF8')::jsonb #>> '{actuator,request_hash}'
  from action_events e join event_payloads p using (action_id, sequence)
  where e.action_id = j.action_id and e.kind = 'execution_attempt' order by e.sequence desc limit 1) end as request_hash,
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
      then (least((select min(next_run_at) from systems), now()) - interval '2 s')::text
    end as pending_since,
    exists (select from open_systems where wanted = 0) as at_bound,
    exists (select from cursors where more) as scans_on,
    (
      select json_agg(json_build_object('tenant_id', tenant_id, 'target_system', target_system, 'freezes', freezes,
        'next_run_at', next_run_at, 'action_id', action_id, 'more', more))
      from cursors where action_id is not null and (more or worth)
    ) as cursors
) one left join claimed on true
order by place, turn;

execute rotate_tenants ('', 32, '-infinity');
execute claim_due (10, 10, '{}', '{}', '{}', 10, 1000, 1000);

deallocate rotate_tenants;
deallocate claim_due;
rollback;
