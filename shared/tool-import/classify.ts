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
  /** What is done. */
  verbs: readonly string[]
  /** What it is done to: of something that is read it says nothing. */
  nouns: readonly string[]
  /** The verbs are no names of things, so that they count wherever they stand. */
  wherever?: true
  means: Meaning
}

/** Verbs of what reads: what is told of afterwards is what it reads about. */
const readingVerbs = new Set(
  'check compare count describe download enumerate export fetch find get has head is list lookup peek preview query read retrieve search show status stream view watch'.split(
    ' ',
  ),
)

/** An operation over HTTP, by its method, the name that its author gave it and its path. */
export function meaningOfRequest(method: string, { name, path }: { name: string; path: string }): Meaning {
  const base = ofMethod[method] ?? changing
  if (method !== 'GET') return raised(base, [name, path])
  // A segment of a path is a name of its own, and a verb there says what is done.
  return raisedReading([name], path.split('/'))
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
 * said to read, what is done counts: `list_payments` moves no money, and `jira_delete_issue` deletes.
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
  const words = new Set(texts.flatMap(wordsOf).flatMap(word => [word, word.replace(/s$/, '')]))
  const said = telling.filter(({ verbs, nouns }) => [...verbs, ...nouns].some(word => words.has(word)))
  return said.reduce((meaning, { means }) => stricter(meaning, means), base)
}

/**
 * What is said to read, and does more by its own words. A verb of deletion counts in names and segments that do not begin
 * with a verb of reading; one that is a noun as well, such as `transfer`, only at the beginning of a name without any.
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

/** `sendUserEmail`, `users/send-email` and `/users/{id}/send_email` have the same words. */
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
