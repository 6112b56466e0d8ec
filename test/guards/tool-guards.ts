import type { Guard } from './guard.ts'

const testCalls = ['test/service/tool/test-tool.test.ts']
const owners = ['test/service/tool/owner-tools.test.ts']
/** Calls that are no actions, and what owners may register: nothing happens by them that nobody allowed. */
export const toolGuards: readonly Guard[] = [
  {
    name: 'test-call-confirmed',
    invariants: [1],
    protects: 'a test call changes nothing that nobody confirmed',
    edits: [
      {
        file: 'shared/flow/tool/test-tool.ts',
        from: "return safe || test.confirm || kind === 'mock' ? null : { sent: 'not_confirmed', problems }",
        to: "return safe || test.confirm || kind === 'mock' ? null : null",
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
        file: 'shared/flow/tool/test-tool.ts',
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
        file: 'shared/flow/tool/test-tool.ts',
        from: "  if (isFrozen(tools.freezes, subject)) return { sent: 'frozen', problems }\n",
        to: '  void [isFrozen, subject]\n',
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
        file: 'shared/flow/tool/test-tool.ts',
        from: "  await record(context, call, {\n    ...about,\n    phase: 'called',\n",
        to: "  if (test_id === '') await record(context, call, {\n    ...about,\n    phase: 'called',\n",
      },
    ],
    tests: testCalls,
  },
  {
    name: 'means-of-the-operator',
    invariants: [20],
    protects: 'an owner sends no secret of the workers to a server of their own',
    edits: [
      {
        file: 'shared/flow/tool/operator-means.ts',
        from: "  if (issues.length > 0) throw invalidBelow('only an operator may name this', issues, '')\n",
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
        file: 'shared/flow/tool/operator-means.ts',
        from: 'const isSameOrigin = samePlaces(placesOf(left.settings), placesOf(right.settings))',
        to: 'const isSameOrigin = samePlaces.length + placesOf.length > 0',
      },
    ],
    tests: owners,
  },
]
