import { type CatalogOperation, readsOnly } from '../contract/configuration/catalog.ts'

/** A guess at the review of an operation, made from the words of its author. */
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

/** Words that raise the review of an operation above that of its method. No word lowers a review. */
const telling: readonly Telling[] = [
  {
    verbs: ['delete', 'remove', 'destroy', 'purge', 'erase', 'wipe', 'drop', 'revoke', 'terminate'],
    nouns: [],
    wherever: true,
    means: deleting,
  },
  {
    verbs: ['pay', 'charge', 'refund', 'transfer', 'withdraw', 'purchase', 'capture'],
    nouns: ['payment', 'payout'],
    means: { effects: ['moves money'], minimum_risk: 'high', reversibility: 'irreversible' },
  },
  {
    verbs: ['send', 'email', 'mail', 'notify', 'publish', 'broadcast', 'invite'],
    nouns: ['sms'],
    means: { effects: ['tells others'], minimum_risk: 'medium', reversibility: 'irreversible' },
  },
  {
    verbs: ['execute', 'run', 'exec', 'eval', 'deploy'],
    nouns: ['shell', 'command', 'script'],
    means: { effects: ['runs something'], minimum_risk: 'high', reversibility: 'irreversible' },
  },
]

interface Telling {
  verbs: readonly string[]
  /** Words for things. They do not raise an operation that only reads these things. */
  nouns: readonly string[]
  /** True if the verbs are never used as nouns, so that they count anywhere in a name. */
  wherever?: true
  means: Meaning
}

/**
 * Verbs that only read. In a reading operation, the words after such a verb name what is read and do not
 * raise its risk.
 */
const readingVerbs = new Set(
  'check compare count describe download enumerate export fetch find get has head is list lookup peek preview query read retrieve search show status stream view watch'.split(
    ' ',
  ),
)

export function meaningOfRequest(method: string, { name, path }: { name: string; path: string }): Meaning {
  const base = ofMethod[method] ?? changing
  if (method !== 'GET') return raised(base, [name, path])
  // Each segment of the path is judged as a name, because a verb in the segment says what the request does.
  return raisedReading([name], path.split('/'))
}

/**
 * Hints of a tool's author (Model Context Protocol, tool annotations). A missing hint counts as the stricter
 * value.
 */
export interface ToolHints {
  readOnlyHint?: unknown
  destructiveHint?: unknown
  idempotentHint?: unknown
  openWorldHint?: unknown
}

/**
 * Judges a tool by its annotations. Its name may only raise the result, because annotations are just the
 * author's word. In a read-only tool only verbs count: `list_payments` moves no money, but
 * `jira_delete_issue` deletes.
 */
export function meaningOfTool(name: string, { readOnlyHint, destructiveHint }: ToolHints): Meaning {
  if (readOnlyHint === true) return raisedReading([name], [])
  const base: Meaning =
    destructiveHint === false
      ? changing
      : { effects: ['changes or deletes data'], minimum_risk: 'high', reversibility: 'irreversible' }
  return raised(base, [name])
}

const risks = ['low', 'medium', 'high'] as const
const ways = ['reversible', 'compensatable', 'irreversible'] as const

/** Combines two reviews into the stricter one, with the effects of both. */
export function stricter(left: Meaning, right: Meaning): Meaning {
  const effects = [...new Set([...left.effects, ...right.effects])]
  return {
    effects: effects.length > 1 ? effects.filter(effect => effect !== readsOnly) : effects,
    minimum_risk: later(risks, left.minimum_risk, right.minimum_risk),
    reversibility: later(ways, left.reversibility, right.reversibility),
  }
}

function raised(base: Meaning, texts: readonly string[]): Meaning {
  const words = new Set(texts.flatMap(wordsOf).flatMap(word => [word, word.replace(/s$/, '')]))
  const said = telling.filter(({ verbs, nouns }) => [...verbs, ...nouns].some(word => words.has(word)))
  return said.reduce((meaning, { means }) => stricter(meaning, means), base)
}

/**
 * Raises the review of a reading operation by its own words. A verb that is never a noun, such as `delete`,
 * counts in each name or segment that does not begin with a reading verb. A verb that may be a noun, such as
 * `transfer`, counts only at the beginning of a name without a reading verb.
 */
function raisedReading(names: readonly string[], segments: readonly string[]): Meaning {
  const named = names.map(wordsOf)
  const all = [...named, ...segments.map(wordsOf)]
  const told = all.filter(([first = '']) => !readingVerbs.has(first)).flat()
  const begun = named
    .filter(words => !words.some(word => readingVerbs.has(word)))
    .flatMap(([first = '']) => first)
  const said = telling.filter(({ verbs, wherever }) =>
    verbs.some(verb => (wherever ? told : begun).includes(verb)),
  )
  return said.reduce((meaning, { means }) => stricter(meaning, means), reading)
}

/** Splits a text into lowercase words: `sendUserEmail` and `send-user_email` both give `send`, `user`, `email`. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(word => word !== '')
}

function later<Value extends string>(order: readonly Value[], left: Value, right: Value): Value {
  return order.indexOf(left) >= order.indexOf(right) ? left : right
}
