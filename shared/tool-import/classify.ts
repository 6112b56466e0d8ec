import { type CatalogOperation, readsOnly } from '../contract/configuration/catalog.ts'

/** What a reviewer says of an operation, as far as it can be guessed from what its author wrote. */
export type Meaning = Pick<CatalogOperation, 'effects' | 'minimum_risk' | 'reversibility'>

const reading: Meaning = { effects: [readsOnly], minimum_risk: 'low', reversibility: 'reversible' }
const changing: Meaning = {
  effects: ['changes data'],
  minimum_risk: 'medium',
  reversibility: 'compensatable',
}
const deleting: Meaning = { effects: ['deletes data'], minimum_risk: 'high', reversibility: 'irreversible' }

const ofMethod: Readonly<Record<string, Meaning>> = {
  GET: reading,
  POST: { ...changing, effects: ['creates or changes data'] },
  PUT: changing,
  PATCH: changing,
  DELETE: deleting,
}

/** Words that make more of an operation than its method; they never make less of it. */
const telling: readonly { words: ReadonlySet<string>; means: Meaning }[] = [
  {
    words: new Set(['delete', 'remove', 'destroy', 'purge', 'erase', 'wipe', 'drop', 'revoke', 'terminate']),
    means: deleting,
  },
  {
    words: new Set([
      'pay',
      'payment',
      'payout',
      'charge',
      'refund',
      'transfer',
      'withdraw',
      'purchase',
      'capture',
    ]),
    means: { effects: ['moves money'], minimum_risk: 'high', reversibility: 'irreversible' },
  },
  {
    words: new Set(['send', 'email', 'mail', 'sms', 'notify', 'publish', 'broadcast', 'invite']),
    means: { effects: ['tells others'], minimum_risk: 'medium', reversibility: 'irreversible' },
  },
  {
    words: new Set(['execute', 'run', 'exec', 'eval', 'deploy', 'shell', 'command', 'script']),
    means: { effects: ['runs something'], minimum_risk: 'high', reversibility: 'irreversible' },
  },
]

/** An operation over HTTP, by its method and the words of its name and path. */
export function meaningOfRequest(method: string, texts: readonly string[]): Meaning {
  const base = ofMethod[method] ?? changing
  // What is read may be called anything: a list of payments moves no money.
  if (method === 'GET') return base
  return raised(base, texts)
}

/** What the author of a tool says of it (Model Context Protocol, tool annotations); a hint that is not given is the worse one. */
export interface ToolHints {
  readOnlyHint?: unknown
  destructiveHint?: unknown
  idempotentHint?: unknown
  openWorldHint?: unknown
}

/**
 * A tool by its annotations; they are its author's word, so its name may make more of it, and never less. Of one that is
 * said to read, the verb alone counts: `list_payments` moves no money.
 */
export function meaningOfTool(name: string, { readOnlyHint, destructiveHint }: ToolHints): Meaning {
  if (readOnlyHint === true) return raised(reading, wordsOf(name).slice(0, 1))
  const base: Meaning =
    destructiveHint === false
      ? changing
      : { effects: ['changes or deletes data'], minimum_risk: 'high', reversibility: 'irreversible' }
  return raised(base, [name])
}

const risks = ['low', 'medium', 'high'] as const
const ways = ['reversible', 'compensatable', 'irreversible'] as const

/** The stricter of two reviews in each of its members; the effects of both. */
export function stricter(left: Meaning, right: Meaning): Meaning {
  const effects = [...new Set([...left.effects, ...right.effects])]
  return {
    effects: effects.length > 1 ? effects.filter(effect => effect !== readsOnly) : effects,
    minimum_risk: later(risks, left.minimum_risk, right.minimum_risk),
    reversibility: later(ways, left.reversibility, right.reversibility),
  }
}

function raised(base: Meaning, texts: readonly string[]): Meaning {
  const words = new Set(texts.flatMap(wordsOf))
  const said = telling.filter(({ words: known }) => [...known].some(word => words.has(word)))
  return said.reduce((meaning, { means }) => stricter(meaning, means), base)
}

/** `sendUserEmail`, `users/send-email` and `/users/{id}/send_email` have the same words. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(word => word !== '')
    .flatMap(word => [word, word.replace(/s$/, '')])
}

function later<Value extends string>(order: readonly Value[], left: Value, right: Value): Value {
  return order.indexOf(left) >= order.indexOf(right) ? left : right
}
