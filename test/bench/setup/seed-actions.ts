import type postgres from 'postgres'
import { note } from '../figure.ts'

export interface Seeds {
  tenant: string
  count: number
  /** The first character of their ids, which are in order. */
  mark: string
  /** How they ended; `executed` ones have a job that is done. */
  status: 'denied' | 'executed'
  /** Every so many is held instead. */
  heldEvery?: number
}

/**
 * Rows as the service leaves them after the gate, but for the foreign keys, which are not looked up for what is right by
 * making; of what was executed the events stop at the verdict.
 */
export async function seedActions(sql: postgres.Sql, seeds: Seeds): Promise<void> {
  const { tenant, count, mark, status, heldEvery = 0 } = seeds
  note(`${count} ${status} actions of tenant ${tenant}`)
  const proposal = JSON.stringify({
    proposal_id: 'p',
    actor: { agent_id: 'a' },
    summary: 'Refund 20 EUR for order 1001',
    action: { target_system: 'payments', operation: 'refund_1', parameters: { amount: 20 } },
    risk: { level: 'low' },
  })
  const risk = { claimed: 'low', level: 'low', raised_by: null }
  const verdict = JSON.stringify({ decision: 'deny', effective_risk: risk, checks: [], blocking_reasons: [] })
  await sql.begin(async transaction => {
    await transaction`set local session_replication_role = replica`
    await transaction`set local search_path = action_gate`
    await transaction`
      create temporary table seeds on commit drop as
      select 'act_' || ${mark} || lpad(n::text, 35, '0') as id, n,
        case when n % nullif(${heldEvery}::int, 0) = 0 then 'pending_approval' else ${status} end as status
      from generate_series(1, ${count}::int) n`
    await transaction`
      insert into action_events (action_id, sequence, kind, status_from, status_to, tenant_id, event, leaf_hash)
      select id, s.at, s.kind, s.status_from, coalesce(s.status_to, nullif(status, 'executed'), 'execution_pending'), ${tenant}, s.event, sha256('\\x00'::bytea || s.event)
      from seeds, (values (0, 'proposal_received', null, 'received', '{}'::bytea), (1, 'verdict', 'received', null, '[]'::bytea))
        s(at, kind, status_from, status_to, event)`
    await transaction`
      insert into event_payloads (action_id, sequence, tenant_id, payload, salt)
      select id, s.at, ${tenant}, convert_to(s.payload, 'UTF8'), ''
      from seeds, (values (0, ${proposal}), (1, ${verdict})) s(at, payload)`
    await transaction`
      insert into actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status,
        event_count, leaf_hashes, audit_root, created_at, updated_at, held_until)
      select id, ${tenant}, id, 'sha256:0', 'payments', 'refund_1', 'agk_seed', status, 2,
        sha256('\\x007b7d') || sha256('\\x005b5d'), '', now(), now(), now() + interval '1 day'
      from seeds`
    await transaction`
      insert into execution_jobs (action_id, tenant_id, target_system, state, attempt, max_attempts, next_run_at, lease_token, maybe_executed, key_honoured)
      select id, ${tenant}, 'payments', 'done', 1, 5, now(), 0, false, true from seeds where status = 'executed'`
  })
  await sql`analyze`
}
