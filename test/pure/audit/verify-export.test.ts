import { describe, expect, it } from 'vitest'
import { checkNames } from '../../../shared/audit/verify/verification.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import {
  buildExport,
  origin,
  redigested,
  signerOf,
  trusted,
  vkeyOf,
} from '../../support/audit/export-builder.ts'
import { entry, heldAndExecuted, inPlaces } from '../../support/audit/trace-entries.ts'

const { proposed, verdict, approved, attempted, executed, rejected, reconciled, erased } = entry

describe('an export that holds', () => {
  it('is verified, with every check that was asked in its order', () => {
    const { bytes, checkpointAt } = buildExport({ fromSize: 5 })
    const found = verifyExport(bytes, { trusted, olderCheckpoint: checkpointAt(5), log: origin })
    expect(found).toMatchObject({ outcome: 'verified', problem: null, notes: [] })
    expect(found.checks.map(({ name }) => name)).toEqual(checkNames)
    expect(found.checks.map(({ status }) => status)).toEqual(checkNames.map(() => 'proven'))
  })

  it('is verified without an older checkpoint, and says what that leaves open', () => {
    const { outcome, checks, notes } = verifyExport(buildExport().bytes, { trusted })
    expect(outcome).toBe('verified')
    expect(checks.map(({ name }) => name)).toEqual(checkNames.filter(name => name !== 'history'))
    expect(notes).toEqual([expect.stringContaining('cut or forked')])
  })

  it('may have any space between its tokens', () => {
    const pretty = Buffer.from(`\n${JSON.stringify(buildExport().exported, null, '\t')}\r\n`)
    expect(verifyExport(pretty, { trusted }).outcome).toBe('verified')
  })

  it.each([1, 2, 4, 5, 8, 23])('is verified against the checkpoint kept at %i entries', size => {
    const { bytes, checkpointAt } = buildExport({ fromSize: size })
    const found = verifyExport(bytes, { trusted, olderCheckpoint: checkpointAt(size) })
    expect(found).toMatchObject({ outcome: 'verified', problem: null })
  })

  it.each([
    ['denied', [proposed(), verdict('deny')]],
    ['rejected', [proposed(), verdict('needs_approval'), rejected()]],
    ['expired', [proposed(), verdict('needs_approval'), entry.expired()]],
    ['cancelled', [proposed(), verdict('needs_approval'), entry.cancelled()]],
    [
      'talked about and edited',
      [
        proposed(),
        verdict('needs_approval'),
        entry.commented(),
        entry.changesRequested(),
        entry.escalated(),
        entry.superseded(),
      ],
    ],
    ['refused without a call', [proposed(), verdict('allow'), executed('failed')]],
    [
      'unknown, and then found',
      [proposed(), verdict('allow'), attempted(1), executed('unknown'), reconciled('ok')],
    ],
  ])('is verified where the action was %s', (_, entries) => {
    const { bytes } = buildExport({ entries: inPlaces(entries) })
    expect(verifyExport(bytes, { trusted }).outcome).toBe('verified')
  })
})

describe('an export that proves less', () => {
  it.each([
    ['received', [proposed()]],
    ['pending_approval', [proposed(), verdict('needs_approval')]],
    ['execution_pending', [proposed(), verdict('allow')]],
    ['execution_pending', [proposed(), verdict('needs_approval'), approved()]],
    ['executing', [proposed(), verdict('allow'), attempted(1)]],
    ['outcome_unknown', [proposed(), verdict('allow'), attempted(1), executed('unknown')]],
  ])('is verified_open where the action is %s', (standing, entries) => {
    const found = verifyExport(buildExport({ entries: inPlaces(entries) }).bytes, { trusted })
    expect(found).toMatchObject({ outcome: 'verified_open', problem: null })
    const ending = found.checks.find(({ name }) => name === 'ending')
    expect(ending).toMatchObject({ status: 'not_proven' })
    expect(ending?.reason).toContain(standing)
  })

  it('is incomplete while the log is pending', () => {
    const bytes = redigested({ ...buildExport().exported, log: { pending: true } })
    expect(unproven(bytes)).toEqual({ outcome: 'incomplete', unproven: ['log'] })
  })

  it('is incomplete where nothing is signed', () => {
    const { exported } = buildExport()
    const unsigned = { ...exported, statement: null, log: { pending: true as const } }
    const bytes = redigested({ ...unsigned, integrity_version: 'canonical-unsigned-v1' })
    expect(unproven(bytes)).toEqual({ outcome: 'incomplete', unproven: ['keys', 'statement', 'log'] })
    expect(unproven(redigested(unsigned)).outcome).toBe('incomplete')
  })

  it('is incomplete where an older checkpoint was given, and no proof from it', () => {
    const { bytes, checkpointAt } = buildExport()
    const found = verifyExport(bytes, { trusted, olderCheckpoint: checkpointAt(5) })
    expect(found.outcome).toBe('incomplete')
    expect(found.checks.find(({ name }) => name === 'history')?.reason).toContain('?from_size=5')
  })

  it('is incomplete where a payload is missing that nobody says was erased', () => {
    const found = unproven(buildExport({ without: [3] }).bytes)
    expect(found).toEqual({ outcome: 'incomplete', unproven: ['payloads', 'idempotency'] })
  })

  it('is legacy where the record is from before canonical events', () => {
    const { exported } = buildExport()
    const legacy = { ...exported, integrity_version: 'legacy-v0' as const, events: [], statement: null }
    const bytes = redigested({ ...legacy, log: { pending: true } })
    expect(verifyExport(bytes, { trusted })).toMatchObject({ outcome: 'legacy', problem: null })
    expect(
      verifyExport(Buffer.from(bytes.toString().replace('"demo"', '"domo"')), { trusted }),
    ).toMatchObject({ outcome: 'invalid', problem: expect.stringContaining('damaged') })
  })

  it('says in a note that times go backwards', () => {
    const at = ['2026-11-21T08:00:00.002Z', '2026-11-21T08:00:00.001Z']
    const { outcome, notes } = verifyExport(buildExport({ at }).bytes, { trusted })
    expect(outcome).toBe('verified')
    expect(notes[0]).toMatch(/event 1 is dated .*001Z, before .*002Z/)
  })
})

describe('an export of which content was erased', () => {
  const entries = inPlaces([...heldAndExecuted(), erased()])
  const everything = heldAndExecuted().map((_, place) => place)

  it('is verified, and says that it was', () => {
    const found = verifyExport(buildExport({ entries, without: everything }).bytes, { trusted })
    expect(found).toMatchObject({ outcome: 'verified', problem: null })
    const open = found.checks.filter(({ status }) => status === 'not_proven')
    expect(open.map(({ name }) => name)).toEqual(['payloads', 'authorisation', 'idempotency', 'ending'])
    for (const { erased: isErased, reason } of open)
      expect({ isErased, reason }).toEqual({ isErased: true, reason: expect.stringContaining('erased') })
  })

  it('still shows whoever approved as who they are', () => {
    const own = heldAndExecuted().map(one =>
      one.kind === 'approval' ? { ...one, principal: { id: 'key_agent', kind: 'approver' as const } } : one,
    )
    const bytes = buildExport({ entries: inPlaces([...own, erased()]), without: everything }).bytes
    expect(verifyExport(bytes, { trusted }).problem).toContain('the key that proposed it')
  })

  it('may have lost what was proposed and not what was decided', () => {
    const found = unproven(buildExport({ entries, without: [0] }).bytes)
    expect(found).toEqual({ outcome: 'verified', unproven: ['payloads', 'authorisation'] })
  })

  it('is not excused for what was recorded after the erasure', () => {
    const early = inPlaces([...heldAndExecuted().slice(0, 2), erased(), ...heldAndExecuted().slice(2)])
    expect(unproven(buildExport({ entries: early, without: [0, 1, 4] }).bytes).outcome).toBe('incomplete')
  })
})

describe('keys', () => {
  it('are told from those in the file: nothing there is trusted', () => {
    const thief = signerOf('gate.example.org', 8)
    const { problem, checks } = verifyExport(buildExport({ signer: thief }).bytes, { trusted })
    expect(problem).toBe(
      `the statement: no trusted key signed it, only ${vkeyOf(thief).split('+').slice(0, 2).join('+')}`,
    )
    expect(checks.map(({ name }) => name)).toEqual(['format', 'keys'])
  })
})

function unproven(bytes: Uint8Array): { outcome: string; unproven: string[] } {
  const { outcome, checks } = verifyExport(bytes, { trusted })
  return {
    outcome,
    unproven: checks.filter(({ status }) => status === 'not_proven').map(({ name }) => name),
  }
}
