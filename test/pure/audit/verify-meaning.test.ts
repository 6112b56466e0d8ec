import { expect, it } from 'vitest'
import { signNote } from '../../../shared/audit/note/signed-note.ts'
import { type Grounds, verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { describeRefusals } from '../../support/audit/describe-refusals.ts'
import { buildExport, origin, redigested, signer, trusted } from '../../support/audit/export-builder.ts'
import {
  aboutIt,
  checkpoint,
  checkpointAt,
  claim,
  entries,
  event,
  events,
  exported,
  hashes,
  log,
  note,
  payload,
  place,
  proof,
  type Refused,
  rootIn,
  salt,
  signed,
  size,
  statement,
  textOf,
  thief,
  zeros,
} from '../../support/audit/export-changes.ts'
import { entry, inPlaces, people } from '../../support/audit/trace-entries.ts'

const { proposed, verdict, approved, attempted, executed, rejected, reconciled } = entry

const binding: Refused[] = [
  ['a statement about another action', signed(`${aboutIt}0`, '7'), 'statement', /about .*0, and not/],
  ['a statement about another tenant', signed(aboutIt.replace('demo', 'domo'), '7'), 'statement', /domo/],
  ['a checkpoint as the statement', note(checkpoint), 'statement', /about gate.example.org\/log/],
  ['a statement about fewer events', signed(aboutIt, '6'), 'statement', /about 6 events, and the file has 7/],
  ['a statement of another root', signed(aboutIt, '7'), 'statement', /root in the statement is not/],
  [
    'another audit_root',
    redigested({ ...exported, audit_root: `sha256:${'0'.repeat(64)}` }),
    'events',
    /root/,
  ],
  ['a dropped event', events(list => list.filter((_, n) => n !== 2)), 'events', /event 2: .*number 3/],
  ['a dropped first event', events(list => list.slice(1)), 'events', /event 0: .*number 1/],
  ['a dropped last event', events(list => list.slice(0, -1)), 'events', /audit_root is not the root/],
  [
    'a doubled event',
    events(list => list.flatMap((one, n) => (n === 2 ? [one, one] : [one]))),
    'events',
    /3:/,
  ],
  [
    'reordered events',
    events(list => [...list.slice(0, 2), ...list.slice(2).reverse()]),
    'events',
    /event 2/,
  ],
  ['a wrong prev', event(2, one => one.replace(/"prev":"..../, '"prev":"0000')), 'events', /prev is not/],
  [
    'an event of another tenant',
    event(2, one => one.replace('"demo"', '"domo"')),
    'events',
    /another tenant/,
  ],
  [
    'an event of another stream',
    event(2, one => one.replace('action/act', 'action/bct')),
    'events',
    /stream/,
  ],
  [
    'an export under another tenant',
    redigested({ ...exported, tenant_id: 'domo' }),
    'events',
    /another tenant/,
  ],
  [
    'an event of the configuration',
    event(2, one => one.replace('"approval"', '"key_issued"')),
    'events',
    /no action has an event of kind key_issued/,
  ],
  ['a statement as the checkpoint', log({ checkpoint: statement, origin: aboutIt }), 'format', /origin/],
  [
    'a statement under the name of a log',
    log({ checkpoint: statement }),
    'log',
    /which is no log of its signer/,
  ],
  ['another origin', log({ origin: `${origin}0` }), 'log', /names the log .*0, and its checkpoint/],
  ['another log than asked for', redigested(exported), 'log', /and not gate.x/, { log: 'gate.x/log/log_1' }],
  [
    'an index beyond the size',
    place(6, { index: size }),
    'log',
    /event 6: its index 24 is not in a log of 24/,
  ],
  ['indexes that do not increase', place(1, { index: 3 }), 'log', /event 1: its index 3 does not follow 3/],
  ['an index that is not its own', place(0, { index: 4 }), 'log', /event 0: its proof does not lead/],
  ['a proof with a node too few', proof(1, hashes(1).slice(1)), 'log', /event 1: its proof does not lead/],
  [
    'a proof with a node too many',
    proof(1, [...hashes(1), zeros]),
    'log',
    /event 1: its proof does not lead/,
  ],
  ['an empty proof', proof(1, []), 'log', /event 1: its proof does not lead/],
  ['fewer entries than events', log({ entries: entries.slice(1) }), 'log', /7 events and 6 log entries/],
  [
    'a checkpoint of another size, unsigned',
    log({ checkpoint: checkpoint.replace('\n24\n', '\n25\n') }),
    'keys',
    /the checkpoint: the signature of .* is not one over this text/,
  ],
  [
    'a checkpoint of another size, signed',
    log({ checkpoint: checkpointAt(23) }),
    'log',
    /proof does not lead/,
  ],
]

const other = buildExport({ others: 'another' })
const history: Refused[] = [
  ['a stale file', redigested(exported), 'history', /had 27 entries, and has 24/, older(27)],
  [
    'a fork: both roots are printed',
    redigested(exported),
    'history',
    new RegExp(`forked: .*${rootIn(other.checkpointAt(24))}.*${rootIn(checkpoint)}`.replaceAll('+', '\\+')),
    { olderCheckpoint: other.checkpointAt(24) },
  ],
  ['another past', buildExport({ fromSize: 5 }).bytes, 'history', /does not show/, past(5)],
  ['an empty proof', claim(5, []), 'history', /empty/, { olderCheckpoint: checkpointAt(5) }],
  ['an empty proof where nothing was asked', claim(5, []), 'history', /empty/],
  ['a proof where sizes are equal', claim(24, [zeros]), 'history', /not empty|nothing to prove|a proof/],
  ['a proof from size 0', claim(0, [zeros]), 'history', /not empty|nothing to prove|a proof/],
  ['a proof from beyond the log', claim(25, [zeros]), 'history', /25/],
  ['a false proof', claim(5, [zeros]), 'history', /does not show/, { olderCheckpoint: checkpointAt(5) }],
  [
    'an older checkpoint of another log',
    redigested(exported),
    'history',
    /the older checkpoint is of gate.example.org\/log\/log_x/,
    { olderCheckpoint: signNote(`gate.example.org/log/log_x\n1\n${zeros}\n`, signer) },
  ],
  [
    'an older checkpoint by another key',
    redigested(exported),
    'keys',
    /the older checkpoint: no trusted key/,
    { olderCheckpoint: signNote(textOf(checkpoint), thief) },
  ],
]

const payloads: Refused[] = [
  [
    'another payload',
    payload(1, { decision: 'allow' }),
    'payloads',
    /event 1: .*not the one the event commits/,
  ],
  ['a payload without its salt', salt(null), 'payloads', /event 0: the payload has no salt/],
  ['a salt without its payload', payload(0, null), 'payloads', /event 0: .*not the one the event commits/],
]

/** Held with a request; what else is given says which request it is about. */
const refund = { kind: 'http', method: 'POST', url: 'https://shop.example/refunds' }
const otherRequest = { ...refund, method: 'DELETE' }
const hashOf = (request: typeof refund): string => documentHash('request', canonicalJson(request))
const about = (one: ReturnType<typeof approved>, request: typeof refund) => ({
  ...one,
  payload: { ...(one.payload as JsonObject), request_hash: hashOf(request) },
})
const shown = (request: typeof refund, hashed = request) => {
  const held = about(verdict('needs_approval'), hashed)
  return { ...held, payload: { ...held.payload, request } }
}
const requests: Refused[] = [
  [
    'a verdict that shows another request than it names',
    trace(shown(refund, otherRequest), about(approved(), otherRequest)),
    'authorisation',
    /event 1: the verdict names another request than it shows/,
  ],
  [
    'an approval of another request',
    trace(shown(refund), about(approved(), otherRequest), about(attempted(1), refund)),
    'authorisation',
    /event 2: the approval is about another request/,
  ],
  [
    'an approval of no request where one was shown',
    trace(shown(refund), approved()),
    'authorisation',
    /event 2: the approval is about another request/,
  ],
  [
    'an attempt at another request than was approved',
    trace(shown(refund), about(approved(), refund), about(attempted(1), otherRequest)),
    'authorisation',
    /event 3: the execution_attempt is about another request/,
  ],
]

it('an attempt at the request that was approved verifies', () => {
  const bytes = trace(shown(refund), about(approved(), refund), about(attempted(1), refund), executed('ok'))
  expect(verifyExport(bytes, { trusted }).outcome).toBe('verified')
})

const byGate = { ...approved(), kind: 'verdict' as const }
const semantics: Refused[] = [
  [
    'execution that was held',
    trace(verdict('needs_approval'), attempted(1)),
    'authorisation',
    /event 2: .*without/,
  ],
  [
    'a result of what was held',
    trace(verdict('needs_approval'), executed('ok')),
    'authorisation',
    /without a pri/,
  ],
  [
    'execution that was denied',
    trace(verdict('deny'), attempted(1)),
    'authorisation',
    /event 2: .*without a pri/,
  ],
  [
    'approval of what was denied',
    trace(verdict('deny'), approved(), attempted(1)),
    'authorisation',
    /event 3:/,
  ],
  [
    'approval after execution',
    trace(verdict('needs_approval'), attempted(1), approved()),
    'authorisation',
    /event 2: execution_attempt without a prior allow or approval/,
  ],
  ['a decision that nobody knows', trace(verdict('maybe'), attempted(1)), 'authorisation', /without a prior/],
  [
    'a second verdict',
    trace(verdict('needs_approval'), verdict('allow')),
    'authorisation',
    /a second verdict/,
  ],
  ['no verdict', trace(attempted(1)), 'authorisation', /event 1: execution_attempt where verdict belongs/],
  ['a verdict by no gate', trace(byGate), 'authorisation', /verdict by a principal of kind approver/],
  [
    'a verdict about another proposal',
    trace({ ...verdict('allow'), payload: { decision: 'allow', proposal_hash: 'sha256:0' } }),
    'authorisation',
    /event 1: the verdict is about another proposal/,
  ],
  [
    'an approval of another proposal',
    trace(verdict('needs_approval'), { ...approved(), payload: { proposal_hash: 'sha256:0' } }),
    'authorisation',
    /event 2: the approval is about another proposal/,
  ],
  [
    'approval by an agent',
    trace(verdict('needs_approval'), approved({ id: 'b', kind: 'agent' })),
    'approver',
    /agent/,
  ],
  [
    'approval by the gate',
    trace(verdict('needs_approval'), approved(people.gate)),
    'approver',
    /of kind gate/,
  ],
  [
    "approval by the proposer's own key",
    trace(verdict('needs_approval'), approved({ id: people.agent.id, kind: 'approver' })),
    'approver',
    /event 2: approved by key_agent, the key that proposed it/,
  ],
  [
    'two executions with different idempotency keys',
    trace(verdict('allow'), attempted(1), executed('retry'), attempted(2, 'idem-2')),
    'idempotency',
    /event 4: .*idem-2, and before that under idem-1/,
  ],
  [
    'an attempt without an idempotency key',
    trace(verdict('allow'), { ...attempted(1), payload: { attempt: 1 } }),
    'idempotency',
    /event 2: an attempt without an idempotency key/,
  ],
  [
    'an event after denial',
    trace(verdict('deny'), approved()),
    'ending',
    /approval follows the end .* denied/,
  ],
  ['an event after rejection', trace(verdict('needs_approval'), rejected(), approved()), 'ending', /event 3/],
  [
    'an approval of what was edited',
    trace(verdict('needs_approval'), entry.superseded(), approved()),
    'ending',
    /approval follows the end .* denied/,
  ],
  [
    'an event after success',
    trace(verdict('allow'), attempted(1), executed('ok'), attempted(2)),
    'ending',
    /event 4: execution_attempt follows the end of the action, which was executed/,
  ],
  [
    'an event after failure',
    trace(verdict('allow'), attempted(1), executed('failed'), reconciled('ok')),
    'ending',
    /which was execution_failed/,
  ],
  [
    'an outcome that nobody knows',
    trace(verdict('allow'), executed('perhaps')),
    'ending',
    /does not say what/,
  ],
]

describeRefusals({
  'what is bound to what': binding,
  history: history,
  payloads: payloads,
  semantics: semantics,
  requests,
})

function older(at: number): Partial<Grounds> {
  return { olderCheckpoint: buildExport({ othersBetween: 3 }).checkpointAt(at) }
}

function past(at: number): Partial<Grounds> {
  return { olderCheckpoint: other.checkpointAt(at) }
}

function trace(...later: ReturnType<typeof verdict>[]): Buffer {
  return buildExport({ entries: inPlaces([proposed(), ...later]) }).bytes
}
