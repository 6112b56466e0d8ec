import { createHash } from 'node:crypto'
import { merkleTreeHash } from '../../support/audit/independent-audit.ts'
import type { ExportedAudit, OrderLine } from './evidence.ts'

export type Erasure = Extract<OrderLine, { order: 'erase' }>

/** By action. */
export function erasuresOf(orders: readonly OrderLine[]): ReadonlyMap<string, Erasure> {
  return new Map(orders.flatMap(line => (line.order === 'erase' ? [[line.action_id, line] as const] : [])))
}

/**
 * Throws unless the export after an erasure has every event of before, word for word and without its content, one event
 * more, and the root over all of them.
 */
export function readErased({ action_id, before }: Erasure, exported: ExportedAudit): void {
  const old = before.events
  const claims: [holds: boolean, claim: string][] = [
    [exported.events.length === old.length + 1, 'one event more than before the erasure'],
    [old.every(({ event }, place) => exported.events[place]?.event === event), 'the events of before'],
    [exported.events.slice(0, old.length).every(isEmpty), 'no content of before'],
    [kindOf(exported.events.at(-1)?.event) === 'erasure', 'an erasure at its end'],
    [rootOf(exported) === exported.audit_root, 'the root of its events'],
  ]
  for (const [holds, claim] of claims) {
    if (!holds) throw new Error(`${action_id}: it was erased and does not have ${claim}`)
  }
}

function isEmpty({ salt, payload }: ExportedAudit['events'][number]): boolean {
  return salt === null && payload === null
}

function kindOf(event: string | undefined): unknown {
  return event === undefined ? undefined : (JSON.parse(event) as { kind: unknown }).kind
}

function rootOf({ events }: ExportedAudit): string {
  const leaves = events.map(({ event }) =>
    createHash('sha256')
      .update(Buffer.from([0]))
      .update(event)
      .digest(),
  )
  return `sha256:${merkleTreeHash(leaves).toString('hex')}`
}
