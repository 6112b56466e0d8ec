import { describe, expect, it } from 'vitest'
import { sealEntries } from '../../shared/audit/event/seal.ts'
import {
  canonical,
  type ExportedAudit,
  merkleTreeHash,
  recomputeAudit,
} from '../support/audit/independent-audit.ts'
import { readVector } from '../support/audit/published-vectors.ts'

const sealed = sealEntries({
  tenantId: 'demo',
  stream: 'action/act_1',
  at: '2026-11-04T12:00:00.000Z',
  priorLeaves: [],
  entries: (['proposal_received', 'verdict', 'execution_attempt'] as const).map((kind, place) => ({
    kind,
    principal: { id: 'somebody', kind: 'agent' },
    payload: { place, 'é"\\': [1.5, null, true] },
    salt: Buffer.alloc(32, place),
  })),
})

describe('the second reading of the audit definitions', () => {
  it('finds the root of an honest export', () => {
    expect(recomputeAudit(honest()).root).toBe(`sha256:${sealed.root.toString('hex')}`)
  })

  const forgeries: [string, (audit: ExportedAudit) => unknown, RegExp][] = [
    ['another payload', ({ events: [first] }) => Object.assign(first ?? {}, { payload: {} }), /payload/],
    ['an erased salt', ({ events: [first] }) => Object.assign(first ?? {}, { salt: null }), /salt/],
    ['a space in an event', audit => edit(audit, ',', ', '), /canonical/],
    ['another principal', audit => edit(audit, 'somebody', 'somebodx'), /link/],
    ['another tenant', audit => Object.assign(audit, { tenant_id: 'other' }), /tenant/],
    ['another action', audit => Object.assign(audit, { action_id: 'act_2' }), /stream/],
    ['a dropped event', audit => audit.events.splice(1, 1), /sequence/],
    ['a dropped last event', audit => audit.events.pop(), /root/],
    ['exchanged events', audit => audit.events.reverse(), /sequence/],
    ['no events', audit => audit.events.splice(0), /root/],
    ['a member more', audit => edit(audit, '"v":1', '"v":1,"w":1'), /members/],
  ]
  it.each(forgeries)('refuses %s', (_, forge, reason) => {
    const audit = honest()
    forge(audit)
    expect(() => recomputeAudit(audit)).toThrow(reason)
  })
})

describe('published vectors', () => {
  it.each(['arrays', 'french', 'structures', 'unicode', 'values', 'weird'])('canonical JSON: %s', name => {
    const input = JSON.parse(readVector(`jcs/input/${name}.json`)) as unknown
    expect(canonical(input)).toBe(readVector(`jcs/output/${name}.json`).trim())
  })

  it('roots of the classic tree of eight leaves', () => {
    const known = JSON.parse(readVector('merkle-rfc6962/known-roots.json')) as KnownRoots
    const leaves = known.leaf_hashes_hex.map(hex => Buffer.from(hex, 'hex'))
    const roots = known.roots_by_size_hex.map((_, size) =>
      merkleTreeHash(leaves.slice(0, size)).toString('hex'),
    )
    expect(roots).toEqual(known.roots_by_size_hex)
    expect(roots).toHaveLength(9)
  })
})

interface KnownRoots {
  leaf_hashes_hex: string[]
  roots_by_size_hex: string[]
}

function honest(): ExportedAudit {
  return {
    tenant_id: 'demo',
    action_id: 'act_1',
    events: sealed.events.map(({ text, salt, payloadText }) => ({
      event: text,
      salt: Buffer.from(salt).toString('base64'),
      payload: JSON.parse(payloadText) as unknown,
    })),
    audit_root: `sha256:${sealed.root.toString('hex')}`,
  }
}

function edit(audit: ExportedAudit, from: string, to: string): void {
  const [first] = audit.events
  if (first) first.event = first.event.replace(from, to)
}
