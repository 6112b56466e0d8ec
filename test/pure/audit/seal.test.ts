import { createHash, createHmac } from 'node:crypto'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EntryToSeal, type SealInput, sealEntries } from '../../../shared/audit/event/seal.ts'
import { eventKindSchema } from '../../../shared/contract/action/audit.ts'
import { readableJson } from '../../support/fixtures/json-arbitrary.ts'

const stream = { tenantId: 'demo', stream: 'action/act_1', at: '2026-11-04T12:00:00.000Z' }
const received: EntryToSeal = {
  kind: 'proposal_received',
  principal: { id: 'agk_1', kind: 'agent' },
  payload: { summary: 'Zürich', proposal_id: 'p-1' },
  salt: Buffer.alloc(32, 1),
}
const denied: EntryToSeal = {
  kind: 'verdict',
  principal: { id: 'gate', kind: 'gate' },
  payload: { decision: 'deny' },
  salt: Buffer.alloc(32, 2),
}

describe('two entries whose bytes were worked out elsewhere', () => {
  const { events, leaves, root } = sealEntries({ ...stream, priorLeaves: [], entries: [received, denied] })

  it('have these texts', () => {
    expect(events.map(event => event.text)).toEqual([
      '{"at":"2026-11-04T12:00:00.000Z","kind":"proposal_received","payload_commit":"92a7c8df69970730cc4cd9f75fd45363848e8688cd3ac9e101462598397827f9","prev":null,"principal":{"id":"agk_1","kind":"agent"},"sequence":0,"stream":"action/act_1","tenant_id":"demo","v":1}',
      '{"at":"2026-11-04T12:00:00.000Z","kind":"verdict","payload_commit":"ebca966560a7adf507e42d60182debe14dd7f2b5bb5973b29420e9fb8d52c2b3","prev":"12224028fafa6a5061cd2f8e6cac938a91543136218e38cc2382f7d50be6a47e","principal":{"id":"gate","kind":"gate"},"sequence":1,"stream":"action/act_1","tenant_id":"demo","v":1}',
    ])
    expect(events.map(event => event.payloadText)).toEqual([
      '{"proposal_id":"p-1","summary":"Zürich"}',
      '{"decision":"deny"}',
    ])
  })

  it('have these leaves and this root', () => {
    expect(leaves.map(leaf => leaf.toString('hex'))).toEqual([
      '12224028fafa6a5061cd2f8e6cac938a91543136218e38cc2382f7d50be6a47e',
      '9fec2aaf3817c0f9c09d457de55caef9dc243bb1dc1e6c98ae406aea38cbdb27',
    ])
    expect(events.map(event => event.leafHash)).toEqual(leaves)
    expect(root.toString('hex')).toBe('c317e68a5acf8030132666844e3a0037117e7238e76de7a3e44215e611297f3a')
  })

  it('keep what belongs to each of them', () => {
    expect(events.map(({ sequence, kind, salt }) => ({ sequence, kind, salt }))).toEqual([
      { sequence: 0, kind: 'proposal_received', salt: received.salt },
      { sequence: 1, kind: 'verdict', salt: denied.salt },
    ])
  })
})

describe('any entries', () => {
  const entry: fc.Arbitrary<EntryToSeal> = fc.record({
    kind: fc.constantFrom(...eventKindSchema.options),
    principal: fc.record({
      id: fc.string({ unit: 'binary', minLength: 1 }),
      kind: fc.constantFrom('agent', 'worker', 'system'),
    }),
    payload: readableJson,
    salt: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  })

  it('have the leaves and the root that another program gives', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 9 }), entries => {
        const sealed = sealEntries({ ...stream, priorLeaves: [], entries })
        const leaves = leavesByAnotherProgram({ ...stream, priorLeaves: [], entries })
        expect(sealed.leaves).toEqual(leaves)
        expect(sealed.root).toEqual(rootByAnotherProgram(leaves))
      }),
    )
  })

  it('are the same whether they are sealed at once or one after the other', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), entries => {
        const atOnce = sealEntries({ ...stream, priorLeaves: [], entries })
        let priorLeaves: Buffer[] = []
        const texts: string[] = []
        for (const one of entries) {
          const { events, leaves, root } = sealEntries({ ...stream, priorLeaves, entries: [one] })
          expect(root).toEqual(rootByAnotherProgram(leaves))
          texts.push(...events.map(event => event.text))
          priorLeaves = leaves
        }
        expect(texts).toEqual(atOnce.events.map(event => event.text))
        expect(priorLeaves).toEqual(atOnce.leaves)
      }),
    )
  })
})

it('does not touch what it was given', () => {
  const priorLeaves = [Buffer.alloc(32, 9)]
  const { leaves } = sealEntries({ ...stream, priorLeaves, entries: [denied] })
  expect(priorLeaves).toEqual([Buffer.alloc(32, 9)])
  expect(leaves).toHaveLength(2)
})

function leavesByAnotherProgram({ tenantId, stream, at, entries }: SealInput): Buffer[] {
  const leaves: Buffer[] = []
  for (const { kind, principal, payload, salt } of entries) {
    const event = {
      v: 1,
      tenant_id: tenantId,
      stream,
      sequence: leaves.length,
      kind,
      at,
      principal,
      payload_commit: createHmac('sha256', salt)
        .update('ags-payload/v1\n')
        .update(canonicalize(payload) as string)
        .digest('hex'),
      prev: leaves.at(-1)?.toString('hex') ?? null,
    }
    leaves.push(
      createHash('sha256')
        .update(Buffer.of(0))
        .update(canonicalize(event) as string)
        .digest(),
    )
  }
  return leaves
}

/** Level by level, a node without a neighbour going up as it is: another way to the same tree. */
function rootByAnotherProgram(leaves: Buffer[]): Buffer {
  if (leaves.length === 0) return createHash('sha256').digest()
  let level = leaves
  while (level.length > 1) {
    const pairs = Array.from({ length: Math.ceil(level.length / 2) }, (_, n) => level.slice(2 * n, 2 * n + 2))
    level = pairs.map(pair =>
      pair.length === 1
        ? (pair[0] as Buffer)
        : createHash('sha256')
            .update(Buffer.concat([Buffer.of(1), ...pair]))
            .digest(),
    )
  }
  return level[0] as Buffer
}
