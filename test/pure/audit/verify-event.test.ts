import { describe, expect, it } from 'vitest'
import { formatTlogProof } from '../../../shared/audit/merkle/tlog-proof.ts'
import { verifyEvent } from '../../../shared/audit/verify/verify-event.ts'
import { origin, trusted } from '../../support/audit/export-builder.ts'
import { checkpoint, entries, exported } from '../../support/audit/export-changes.ts'

const grounds = { trusted, log: origin }
const event = Buffer.from(exported.events[2]?.event ?? '')
const [entry] = entries.slice(2)
const hashes = (entry?.proof ?? []).map(hash => Buffer.from(hash, 'base64'))
const parts = { extra: null, index: entry?.index ?? 0, proof: hashes, checkpoint }
const proof = formatTlogProof(parts)

describe('one event and its proof', () => {
  it('hold, and say where in the log it is and that this is all', () => {
    const found = verifyEvent(event, Buffer.from(proof), grounds)
    expect(found).toMatchObject({ outcome: 'verified', problem: null })
    expect(found.checks.map(({ name }) => name)).toEqual(['format', 'keys', 'log'])
    expect(found.checks.at(-1)?.reason).toBe(
      `approval, number 2 of action/${exported.action_id}, is entry 9 of the log ${origin}`,
    )
    expect(found.notes).toEqual([expect.stringContaining('one event alone')])
  })

  it.each([
    ['another event', exported.events[1]?.event ?? '', proof, 'log', /does not lead/],
    ['an event that is not canonical', `${event} `, proof, 'format', /canonical/],
    ['something that is no event', '{}', proof, 'format', /v: /],
    ['something that is no proof', event, 'c2sp.org/tlog-proof@v2\n\n', 'format', /the proof: /],
    ['another index', event, formatTlogProof({ ...parts, index: 8 }), 'log', /does not lead/],
    ['a shorter proof', event, formatTlogProof({ ...parts, proof: hashes.slice(1) }), 'log', /does not lead/],
    ['a checkpoint that was changed', event, proof.replace('\n24\n', '\n25\n'), 'keys', /is not one over/],
    ['a statement as the checkpoint', event, noted(exported.statement ?? ''), 'log', /the checkpoint is of/],
  ])('are refused where there is %s', (...[, bytes, file, check, problem]) => {
    const found = verifyEvent(Buffer.from(bytes), Buffer.from(file), grounds)
    expect(found).toMatchObject({ outcome: 'invalid', problem: expect.stringMatching(problem) })
    expect(found.checks.at(-1)?.name).toBe(check)
  })

  it('are refused for bytes outside UTF-8, another log or key, and sizes beyond a key', () => {
    const file = Buffer.from(proof)
    const problems = [
      verifyEvent(Buffer.of(0xff), file, grounds),
      verifyEvent(event, file, { trusted, log: `${origin}0` }),
      verifyEvent(event, file, { trusted: [], log: origin }),
      verifyEvent(event, file, {
        trusted: trusted.map(key => ({ ...key, sizes: { first: 0, last: 23 } })),
        log: origin,
      }),
    ].map(({ problem }) => problem)
    expect(problems[0]).toContain('not UTF-8')
    expect(problems[1]).toContain(`the checkpoint is of ${origin}`)
    expect(problems[2]).toContain('no trusted key signed it')
    expect(problems[3]).toContain('of size 0 to 23, and not of 24')
  })
})

function noted(note: string): string {
  return formatTlogProof({ ...parts, checkpoint: note })
}
