import type { Asked } from '../support/platform/platform-client.ts'

/** What becomes of a proposal, and what it must come to. */
export interface Step {
  kind: Kind
  asked: Asked
  /** Statuses it may end in; `lost` are those that a call without an answer may add. */
  ends: readonly string[]
  lost: readonly string[]
  /** What an approver does with it once it is held. */
  decided: 'approve' | 'reject' | 'both' | null
}

type Kind = keyof typeof kinds

interface Recipe extends Omit<Step, 'kind' | 'asked' | 'lost'> {
  count: number
  asked: (n: number) => Omit<Asked, 'proposal_id'>
}

/** The name that the gated calls wait for. */
export const gate = 'gate'

const keyed = (parameters: Asked['parameters'], risk: Asked['risk'] = 'low') => ({
  system: 'ledger_keyed',
  ...(parameters ? { parameters } : {}),
  ...(risk ? { risk } : {}),
})
const plain = (parameters: Asked['parameters']) => ({ ...keyed(parameters), system: 'ledger_plain' })
const refusals: Omit<Asked, 'proposal_id'>[] = [
  { system: 'unlisted' },
  { system: 'ledger_plain', operation: 'erase' },
  { system: 'mock_crm', operation: 'refund', parameters: { amount: 101 } },
  { system: 'constructor' },
]
const shortDelay = (n: number) => 5 + (n % 8) * 5

const executed = ['executed']
const failed = ['execution_failed']
const unknown = ['outcome_unknown']
const denied = ['denied']

const kinds = {
  mock: recipe(250, executed, () => ({ system: 'mock_crm' })),
  keyed: recipe(200, executed, n => keyed({ delay_ms: shortDelay(n) })),
  plain: recipe(100, executed, n => plain({ delay_ms: shortDelay(n) })),
  approved: recipe(100, executed, n => keyed({ delay_ms: shortDelay(n) }, 'high'), 'approve'),
  rejected: recipe(80, denied, () => keyed({}, 'high'), 'reject'),
  contested: recipe(20, [...executed, ...denied], () => keyed({}, 'high'), 'both'),
  denied: recipe(120, denied, n => refusals[n % refusals.length] ?? { system: 'unlisted' }),
  retried: recipe(50, executed, n =>
    (n % 2 ? keyed : plain)({ behave: 'retry', attempts: 1 + (n % 3 ? 1 : 0) }),
  ),
  failed: recipe(20, failed, n => (n % 2 ? keyed : plain)({ behave: 'fail' })),
  keyed_throws: recipe(20, executed, () => keyed({ behave: 'throw', attempts: 1 })),
  keyed_nonsense: recipe(5, executed, () => keyed({ behave: 'nonsense', attempts: 2 })),
  plain_throws: recipe(7, unknown, () => plain({ behave: 'throw' })),
  plain_nonsense: recipe(5, unknown, () => plain({ behave: 'nonsense' })),
  plain_hangs: recipe(3, unknown, () => plain({ behave: 'hang' })),
  gated_keyed: recipe(10, executed, () => keyed({ until: gate })),
  gated_plain: recipe(10, executed, () => plain({ until: gate })),
} satisfies Record<string, Recipe>

/** The steps of the run in an order that is mixed and always the same; the gated ones stand together, in the middle. */
export function scriptedRun(): { before: Step[]; gated: Step[]; after: Step[] } {
  const steps = (Object.keys(kinds) as Kind[]).flatMap(kind =>
    Array.from({ length: kinds[kind].count }, (_, n) => step(kind, n)),
  )
  const isGated = ({ kind }: Step) => kind.startsWith('gated')
  const mixed = mix(steps.filter(each => !isGated(each)))
  return { before: mixed.slice(0, 400), gated: steps.filter(isGated), after: mixed.slice(400) }
}

function step(kind: Kind, n: number): Step {
  const { asked, ends, decided } = kinds[kind] as Recipe
  const proposal = { proposal_id: `${kind}-${n}`, ...asked(n) }
  // Without a key, a call whose answer never came is unknown; with one it is repeated, and only a refusal stays in doubt.
  const inDoubt = proposal.system === 'ledger_plain' || kind === 'failed'
  return { kind, asked: proposal, ends, decided, lost: inDoubt ? unknown : [] }
}

function recipe(
  count: number,
  ends: readonly string[],
  asked: Recipe['asked'],
  decided: Step['decided'] = null,
): Recipe {
  return { count, ends, asked, decided }
}

/** Fisher and Yates with the numbers of a linear congruence. */
function mix<Item>(items: readonly Item[]): Item[] {
  const mixed = [...items]
  let state = 20_261_121
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const other = state % (last + 1)
    const [left, right] = [mixed[last], mixed[other]]
    if (left === undefined || right === undefined) throw new Error('a place is out of range')
    mixed[last] = right
    mixed[other] = left
  }
  return mixed
}
