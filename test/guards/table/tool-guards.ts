import type { Guard } from '../guard.ts'

const testCalls = ['test/service/tool/test-tool.test.ts']
const workersCalls = ['test/service/tool/taken-test-calls.test.ts']
const testRows = 'shared/store/tenant/test-call-rows.ts'
const owners = ['test/service/tool/owner-tools.test.ts']
const narrowed = ['test/service/tool/narrowed-tools.test.ts']
/** Calls that are no actions, and what owners may register: nothing happens by them that nobody allowed. */
export const toolGuards: readonly Guard[] = [
  {
    name: 'test-call-confirmed',
    invariants: [1],
    protects: 'a test call changes nothing that nobody confirmed',
    edits: [
      {
        file: 'shared/flow/tool/judge-test.ts',
        from: 'return isSafe(entry) || test.confirm || kindOf(actuator).simulated\n',
        to: 'return isSafe(entry) || test.confirm || kindOf(actuator).simulated !== null\n',
      },
    ],
    tests: testCalls,
  },
  {
    name: 'test-call-inside-the-schema',
    invariants: [1],
    protects: 'a test call has parameters that the catalog admits',
    edits: [
      {
        file: 'shared/flow/tool/judge-test.ts',
        from: "  if (problems.length > 0) return { sent: 'outside_schema', problems }\n",
        to: '',
      },
    ],
    tests: testCalls,
  },
  {
    name: 'test-call-while-frozen',
    invariants: [1],
    protects: 'what is frozen is not called for a test either',
    edits: [
      {
        file: 'shared/flow/tool/judge-test.ts',
        from: "  if (isFrozen([...freezes, ...pauses], frozenSubject(call))) return { sent: 'frozen', problems }\n",
        to: '  void [isFrozen, freezes, pauses]\n',
      },
      {
        file: 'shared/flow/tool/make-test-call.ts',
        from: 'if (isFrozen(freezes, frozenSubject(call)) || ',
        to: 'if (isFrozen([], frozenSubject(call)) || freezes.length < 0 || ',
      },
    ],
    tests: testCalls,
  },
  {
    name: 'test-call-written-ahead',
    invariants: [4],
    protects: 'a test call is on record before its first byte leaves',
    edits: [
      {
        file: 'shared/flow/tool/make-test-call.ts',
        from: "return { answer: true, entry: { kind: 'tool_tested', payload: { ...about, ...ledger.by } } }",
        to: 'return { answer: about.test_id !== "" }',
      },
    ],
    tests: testCalls,
  },
  {
    name: 'test-call-taken-once',
    invariants: [6],
    protects: 'a test call that a worker has taken is made by no other',
    edits: [
      {
        file: testRows,
        from: 'isNull(testCalls.taken_by), gt(testCalls.take_before, clock)))\n    .returning',
        to: 'gt(testCalls.take_before, clock)))\n    .returning',
      },
    ],
    tests: workersCalls,
  },
  {
    name: 'test-call-answered-in-time',
    invariants: [8],
    protects: 'a test call whose worker was given up is judged once',
    edits: [
      {
        file: testRows,
        from: 'isNull(testCalls.answer), gt(testCalls.ends_at, clock)',
        to: "gt(testCalls.asked_at, sql`timestamptz 'epoch'`)",
      },
    ],
    tests: workersCalls,
  },
  {
    name: 'test-call-as-it-was-shown',
    invariants: [12],
    protects: 'a worker sends the request that was shown, and no other that was registered meanwhile',
    edits: [
      {
        file: 'shared/flow/tool/take-test-calls.ts',
        from: 'judged.hindrance === null && judged.request_hash === asked.request_hash',
        to: 'judged.hindrance === null',
      },
    ],
    tests: workersCalls,
  },
  {
    name: 'test-call-bound-of-its-time',
    invariants: [5],
    protects: 'a worker that was held sends no test call whose time is over',
    edits: [
      {
        file: 'shared/flow/tool/make-test-call.ts',
        from: 'isLate: () => signal.aborted || used() >= ms,\n      timeLeftMs: () => Math.max(0, ms - used()),',
        to: 'isLate: () => signal.aborted || used() < 0,\n      timeLeftMs: () => ms,',
      },
    ],
    tests: workersCalls,
  },
  {
    name: 'means-of-the-operator',
    invariants: [20],
    protects: 'an owner sends no secret of the workers to a server of their own',
    edits: [
      {
        file: 'shared/flow/core/operator-means.ts',
        from: "  if (issues.length > 0) throw invalidBelow('only an operator may change this', issues, '')\n",
        to: '  void [issues, invalidBelow]\n',
      },
    ],
    tests: owners,
  },
  {
    name: 'means-go-to-the-same-places',
    invariants: [20],
    protects: 'a secret of the workers goes to no other token endpoint',
    edits: [
      {
        file: 'shared/flow/core/operator-means.ts',
        from: 'const isSameOrigin = samePlaces(placesOf(left), placesOf(right))',
        to: 'const isSameOrigin = samePlaces.length + placesOf.length > 0',
      },
    ],
    tests: owners,
  },
  {
    name: 'owner-only-narrows',
    invariants: [20],
    protects: 'an owner writes no request that is sent with means of the operator',
    edits: [
      {
        file: 'shared/flow/core/operator-means.ts',
        from: "return isGiven(registered) ? 'change_at_its_places' : 'narrow'",
        to: "return isGiven(registered) ? 'change_at_its_places' : 'change_at_its_places'",
      },
    ],
    tests: [...narrowed, ...owners],
  },
  {
    name: 'narrow-by-every-way',
    invariants: [20],
    protects: 'no other way to the registrations lets an owner widen one',
    edits: [
      {
        file: 'shared/flow/tenant/actuators.ts',
        from: 'if (!mayNameMeans(author)) refuseWidening',
        to: 'if (mayNameMeans(author) && actuators.length < 0) refuseWidening',
      },
    ],
    tests: narrowed,
  },
  {
    name: 'narrow-changes-no-operation',
    invariants: [20],
    protects: 'an operation that stays is the one that the operator wrote',
    edits: [
      {
        file: 'shared/tool-import/narrow-registration.ts',
        from: 'Object.hasOwn(before, name) && same(before[name], entry)',
        to: 'Object.hasOwn(before, name) || same(before[name], entry)',
      },
    ],
    tests: narrowed,
  },
  {
    name: 'series-of-the-key',
    invariants: [3],
    protects: 'a call without an id acts once, whatever another key proposes under the next id',
    edits: [
      {
        file: 'shared/flow/action/submit-proposal.ts',
        from: 'if (!inSeries && isOfSeries(proposal.proposal_id))',
        to: "if (!inSeries && proposal.proposal_id === '' && isOfSeries(proposal.proposal_id))",
      },
    ],
    tests: ['test/service/mcp/call-tools.test.ts'],
  },
  {
    name: 'own-headers-frame-nothing',
    invariants: [20],
    protects: 'no registration sends its key, its moment or its proof as a header that frames the message',
    edits: [
      {
        file: 'shared/contract/base/header-names.ts',
        from: 'export const ownHeaderNameSchema = headerNameSchema.refine(name => !isMadeOtherwise(name), problem)',
        to: "export const ownHeaderNameSchema = headerNameSchema.refine(name => !isMadeOtherwise('' && name), problem)",
      },
    ],
    tests: ['test/pure/actuator/header-names.test.ts'],
  },
]
