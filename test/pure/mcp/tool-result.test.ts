import { expect, test } from 'vitest'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { ActionOutcome } from '../../../shared/contract/action/action-status.ts'
import { afterDenial } from '../../../shared/contract/action/denials.ts'
import { exampleTrace } from '../../../shared/contract/examples/example-trace.ts'
import { isError, resultOfTrace, textsOf } from '../../../shared/mcp/tool-result.ts'

const { action_id } = exampleTrace
const ids = (status: string) =>
  JSON.stringify({ status, action_id, proposal_id: exampleTrace.proposal.proposal_id })
const by = { id: 'x', kind: 'gate', name: null } as const

function denied(...reasons: string[]): Partial<ActionOutcome> {
  return { code: 'denied', message: reasons.join('; '), ...afterDenial(reasons) }
}

const wait = `Wait for its end with action_wait and {"action_id":"${action_id}"}.`

/** Of each way that a call ends or goes on: what a model reads before the ids, and whether that is an error. */
const table: [string, Trace['status'], Partial<ActionOutcome> | null, (string | RegExp)[], boolean][] = [
  ['a result', 'executed', {}, [JSON.stringify(exampleTrace.execution?.result?.detail)], false],
  [
    'a refusal',
    'denied',
    denied('parameters_outside_schema: customer_id must match ^cus_[0-9]+$ (pattern)'),
    [
      /^Refused: .*customer_id must match \^cus_\[0-9\]\+\$ \(pattern\)\. Nothing was done\. Mending it is welcome:/,
    ],
    true,
  ],
  [
    'a denial',
    'denied',
    denied('parameter_above_max: amount must be at most 50'),
    [
      /^The policy denies it: .*at most 50\. Nothing was done\. Stop and show the reasons; do not try another way\.$/,
    ],
    false,
  ],
  [
    'a refusal and a denial in one',
    'denied',
    denied(
      'parameters_outside_schema: id is required (required)',
      'parameter_above_max: a must be at most 50',
    ),
    [/^The policy denies it: .*do not try another way\.$/],
    false,
  ],
  [
    'a rejection',
    'denied',
    { code: 'rejected', message: 'not today' },
    ['A person rejected it: not today. Nothing was done. Do not propose it again.'],
    false,
  ],
  [
    'an expiry',
    'denied',
    { code: 'approval_expired' },
    [/^Nobody decided in time\. Nothing was done\./],
    false,
  ],
  ['a withdrawal', 'denied', { code: 'withdrawn', message: 'm' }, ['Withdrawn: m. Nothing was done.'], false],
  [
    'an edit',
    'denied',
    { code: 'superseded', message: 'm' },
    [/^A person edited it: m\. .*Do not propose/],
    false,
  ],
  [
    'a hold',
    'pending_approval',
    null,
    [
      /^Waiting for a person to approve: .* Wait for its end with action_wait and \{"action_id":"act_\w+"\}\.$/,
    ],
    false,
  ],
  ['a queued call', 'execution_pending', null, [`Queued for execution. ${wait}`], false],
  ['a call under way', 'executing', null, [`Attempt 1 is under way. ${wait}`], false],
  [
    'a failure',
    'execution_failed',
    { message: 'status 422', body: { limit: 50 } },
    ['Not executed: status 422. The same call would fail again.', '{"limit":50}'],
    true,
  ],
  [
    'an unknown outcome',
    'outcome_unknown',
    { message: 'no answer came' },
    [/^Nobody knows whether it happened: no answer came\. .*Do not repeat it\.$/],
    false,
  ],
]

test.each(table)('of %s a model reads what to do, then the ids', (...[, status, outcome, texts, error]) => {
  const ended = outcome && { status, code: status, message: 'm', by, try_again: false, ...outcome }
  const result = resultOfTrace({
    ...exampleTrace,
    status,
    outcome: ended as ActionOutcome | null,
    job: null,
  })
  const read = textsOf(result)
  expect(read.at(-1)).toBe(ids(status))
  const before = read.slice(0, -1)
  expect(before).toEqual(texts.map(text => (typeof text === 'string' ? text : expect.stringMatching(text))))
  expect(isError(result)).toBe(error)
  expect(Object.keys(result).slice(0, 3)).toEqual(['result', 'status', 'message'])
})

test('what surrounds a result is shorter than 200 characters', () => {
  const result = resultOfTrace(exampleTrace)
  const length = textsOf(result).join('').length - JSON.stringify(result.result).length
  expect(length).toBeLessThan(200)
})
