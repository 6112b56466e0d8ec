import { existsSync, readFileSync } from 'node:fs'
import type { LedgerLine, RealSystem } from '../check/evidence.ts'
import { groupBy } from '../check/group-by.ts'
import type { RealFiles } from './real-systems.ts'

/** How often a server's own data has the effect of a key, by the keys; absent for a server that keeps nothing. */
export type OwnData = Partial<Record<RealSystem, ReadonlyMap<string, number>>>

/** What the servers have, read from their files once nobody works any more. */
export function readOwnData(files: RealFiles): OwnData {
  return {
    json_server: counted(paymentsIn(files.payments).map(({ id }) => id)),
    graphql_http: counted(existsSync(files.shipments) ? linesOf(files.shipments) : []),
  }
}

function paymentsIn(file: string): { id: string }[] {
  if (!existsSync(file)) return []
  return (JSON.parse(readFileSync(file, 'utf8')) as { payments: { id: string }[] }).payments
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}

function counted(keys: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...groupBy(keys, key => key)].map(([key, each]) => [key, each.length]))
}

/**
 * The ledger with the effects that the servers themselves have: of the calls with a key as many had one as the data says, first
 * those that were answered as done, then those that nobody heard of. An effect without a call is a line of its own.
 */
export function settleByOwnData(ledger: readonly LedgerLine[], own: OwnData): LedgerLine[] {
  const isOwn = ({ endpoint }: LedgerLine): boolean => Object.hasOwn(own, endpoint)
  const settled = Object.entries(own).flatMap(([endpoint, effects]) => {
    const calls = groupBy(
      ledger.filter(line => line.endpoint === endpoint),
      ({ key }) => key,
    )
    const keys = new Set([...calls.keys(), ...effects.keys()])
    return [...keys].flatMap(key =>
      settleKey(calls.get(key) ?? [], effects.get(key) ?? 0, { endpoint: endpoint as RealSystem, key }),
    )
  })
  return [...ledger.filter(line => !isOwn(line)), ...settled]
}

const likely: Partial<Record<LedgerLine['answer'], number>> = { done: 0, unanswered: 1 }

function settleKey(
  calls: readonly LedgerLine[],
  effects: number,
  of: Pick<LedgerLine, 'endpoint' | 'key'>,
): LedgerLine[] {
  const candidates = calls
    .filter(({ answer }) => likely[answer] !== undefined)
    .sort((one, other) => (likely[one.answer] ?? 0) - (likely[other.answer] ?? 0) || one.n - other.n)
  const had = new Set(candidates.slice(0, effects))
  const more = Array.from({ length: Math.max(0, effects - candidates.length) }, () =>
    withoutCall(calls[0], of),
  )
  return [...calls.map(line => ({ ...line, effect: had.has(line) })), ...more]
}

/** What happened, and nobody was seen asking for it. */
function withoutCall(call: LedgerLine | undefined, of: Pick<LedgerLine, 'endpoint' | 'key'>): LedgerLine {
  const nobody = { action_id: null, tenant_id: null, attempt: null, parameters: null, delivery: 1 } as const
  const unseen = {
    n: 0,
    honours_key: false,
    request: 'none was seen',
    script: 'ok',
    arrived: 0,
    at: 0,
  } as const
  return { ...unseen, ...nobody, ...call, ...of, effect: true, answer: 'done' }
}
