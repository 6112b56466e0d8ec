import { createHash, createHmac } from 'node:crypto'
import { canonical, merkleTreeHash } from '../support/audit/independent-audit.ts'
import {
  type Evidence,
  type ExportLine,
  type FaultLine,
  type JournalLine,
  type LedgerLine,
  type OrderLine,
  realSystems,
} from './check/evidence.ts'

/** An event of a story that is told to the checker: kind, payload and who did it. */
export type Told = [kind: string, payload: Record<string, unknown>, principal: string]

const salt = Buffer.alloc(32, 7)
const firstAt = Date.parse('2030-01-01T00:00:00.000Z')
const tenantId = 'north'
/** What every action of the story asks for. */
export const parameters = { amount: 1 }

/** Event `n` of every story happens this many milliseconds after 1970. */
export function timeOf(n: number): number {
  return firstAt + n * 1_000
}

export const received = (proposal_id: string): Told => [
  'proposal_received',
  { proposal_id, action: { parameters } },
  'agent agk_1',
]
export const verdict = (decision: string): Told => ['verdict', { decision }, 'gate gate']
export const approval: Told = ['approval', {}, 'approver apk_1']
export const partialApproval = (by: string): Told => ['partial_approval', {}, by]
export const attempt = (n: number, action_id: string): Told => [
  'execution_attempt',
  { attempt: n, token: n, idempotency_key: `key of ${action_id}` },
  'worker wrk_1',
]
export const execution = (outcome: string): Told => ['execution', { outcome }, 'worker wrk_1']
export const reconciliation = (outcome: string, more = {}): Told => [
  'reconciliation',
  { outcome, source: 'lookup', ...more },
  'worker wrk_1',
]

/** A sound export of a story. */
export function exportOf(action_id: string, story: readonly Told[], tenant_id = tenantId): ExportLine {
  const leaves: Buffer[] = []
  const events = story.map(([kind, payload, who], sequence) => {
    const [principalKind, id] = who.split(' ')
    const event = canonical({
      v: 1,
      tenant_id,
      stream: `action/${action_id}`,
      sequence,
      kind,
      at: new Date(timeOf(sequence)).toISOString(),
      principal: { id, kind: principalKind },
      payload_commit: createHmac('sha256', salt)
        .update(`ags-payload/v1\n${canonical(payload)}`)
        .digest('hex'),
      prev: leaves.at(-1)?.toString('hex') ?? null,
    })
    leaves.push(
      createHash('sha256')
        .update(Buffer.from([0]))
        .update(event)
        .digest(),
    )
    return { event, salt: salt.toString('base64'), payload }
  })
  const audit_root = `sha256:${merkleTreeHash(leaves).toString('hex')}`
  return { tenant_id, action_id, exported: { tenant_id, action_id, events, audit_root } }
}

/** A call that took place after event `afterEvent` of its action. */
export function callOf(action_id: string, afterEvent: number, more: Partial<LedgerLine> = {}): LedgerLine {
  const at = timeOf(afterEvent) + 500
  const endpoint = { endpoint: 'plain', honours_key: false } as const
  const call = {
    ...endpoint,
    key: `key of ${action_id}`,
    action_id,
    tenant_id: tenantId,
    attempt: 1,
  } as const
  const sent = { n: 1, delivery: 1, request: 'POST /plain', parameters } as const
  return { ...call, ...sent, script: 'ok', arrived: at, at, effect: true, answer: 'done', ...more }
}

/** An action at each server that nobody here wrote, and one at the last of them that was killed in the call. */
function atRealServers(): { exports: ExportLine[]; ledger: LedgerLine[] } {
  const allowed = (id: string, ...outcome: Told[]) =>
    exportOf(id, [received(`p-${id}`), verdict('allow'), attempt(1, id), ...outcome])
  const doubt = { endpoint: 'mcp_everything', effect: false, answer: 'unanswered' } as const
  return {
    exports: [
      ...realSystems.map(system => allowed(`act_${system}`, execution('ok'))),
      allowed(
        'act_unanswered',
        execution('unknown'),
        reconciliation('unknown', { source: 'timeout', needs_operator: true }),
      ),
    ],
    ledger: [
      ...realSystems.map(endpoint => callOf(`act_${endpoint}`, 2, { endpoint })),
      callOf('act_unanswered', 2, doubt),
    ],
  }
}

export function requestOf(
  op: JournalLine['op'],
  proposal_id: string,
  action_id: string,
  by = op === 'submit' ? 'agk_1' : 'apk_1',
): JournalLine {
  const about = { op, tenant_id: tenantId, proposal_id, action_id, by, api: 'api 1' }
  return { ...about, begun: timeOf(0), ended: timeOf(1), result: 'ok', status: 202, code: null }
}

/** A kill of a worker between event 2 and event 3. */
export function killOf(leased: string[]): FaultLine {
  const at = timeOf(2) + 700
  const kill = { n: 1, kind: 'worker_kill', victim: 'worker 1', at, ended: at + 900, kill: true }
  return { ...kill, in_flight: leased.length, leased, exit_ms: null }
}

/** An action that was executed by its second call with one key, whose content was erased then. */
function erased(action_id: string, story: readonly Told[]): { order: OrderLine; line: ExportLine } {
  const before = exportOf(action_id, story).exported
  const line = exportOf(action_id, [...story, ['erasure', {}, 'admin adk_1']])
  if (before === null || line.exported === null) throw new Error('there is nothing to erase')
  const emptied = line.exported.events.map((event, place) =>
    place < before.events.length ? { ...event, salt: null, payload: null } : event,
  )
  const exported = { ...line.exported, events: emptied }
  return {
    order: { order: 'erase', tenant_id: tenantId, action_id, from: timeOf(20), before },
    line: { ...line, exported },
  }
}

const endOfPerson = {
  order: 'end_of_person',
  tenant_id: 'ten_1',
  person: 'acc_1',
  how: 'person_remove',
  from: timeOf(95),
  accepted_after: 0,
  asked_after: 4,
  improper: [],
  written: 3,
  at_last: 3,
} satisfies OrderLine

/** What a run leaves behind in which everything went as it should, with one action of each kind. */
export function soundEvidence(): Evidence {
  const erasure = erased('act_erased', [
    received('p-5'),
    ['verdict', { decision: 'needs_approval', approvals_required: 2 }, 'gate gate'],
    partialApproval('approver apk_2'),
    approval,
    attempt(1, 'act_erased'),
    execution('retry'),
    attempt(2, 'act_erased'),
    execution('ok'),
  ])
  const real = atRealServers()
  return {
    exports: [
      ...real.exports,
      exportOf('act_allowed', [
        received('p-1'),
        verdict('allow'),
        attempt(1, 'act_allowed'),
        execution('ok'),
      ]),
      exportOf('act_approved', [
        received('p-2'),
        verdict('needs_approval'),
        approval,
        attempt(1, 'act_approved'),
        execution('unknown'),
        reconciliation('ok'),
      ]),
      exportOf('act_denied', [received('p-3'), verdict('deny')]),
      exportOf('act_failed', [
        received('p-4'),
        verdict('allow'),
        attempt(1, 'act_failed'),
        execution('failed'),
      ]),
      erasure.line,
    ],
    ledger: [
      ...real.ledger,
      callOf('act_allowed', 2),
      callOf('act_approved', 3),
      callOf('act_failed', 2, { effect: false, answer: 'refused', script: 'refuse' }),
      callOf('act_erased', 4, {
        action_id: null,
        attempt: null,
        effect: false,
        answer: 'busy',
        script: 'busy',
      }),
      callOf('act_erased', 6, { action_id: null, attempt: null, n: 2 }),
    ],
    journal: [
      requestOf('submit', 'p-1', 'act_allowed'),
      requestOf('submit', 'p-2', 'act_approved'),
      requestOf('approve', 'p-2', 'act_approved'),
      requestOf('submit', 'p-3', 'act_denied'),
      requestOf('submit', 'p-4', 'act_failed'),
    ],
    faults: [killOf(['act_allowed'])],
    orders: [
      { order: 'freeze', tenant_id: tenantId, from: timeOf(90), until: timeOf(91) },
      { order: 'pause', tenant_id: tenantId, from: timeOf(92), until: timeOf(93) },
      { order: 'revoke', tenant_id: tenantId, from: timeOf(94), accepted_after: 0, asked_after: 2 },
      erasure.order,
      { ...endOfPerson },
    ],
    sightings: [
      { what: 'fenced_write', count: 1 },
      { what: 'late_result', count: 1 },
      { what: 'lost_commit', count: 1 },
      { what: 'hanging_poll', count: 1, tenant_id: 'south' },
      { what: 'poll_beside_hanging', count: 1 },
    ],
  }
}
