import { describe, expect, it } from 'vitest'
import { formatTlogProof } from '../../../shared/audit/merkle/tlog-proof.ts'
import { signNote } from '../../../shared/audit/note/signed-note.ts'
import { readTrustedKeys, type TrustedKey } from '../../../shared/audit/note/trusted-keys.ts'
import { verifyEvent } from '../../../shared/audit/verify/verify-event.ts'
import { type Grounds, verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import type { AuditKey } from '../../../shared/contract/action/audit-log.ts'
import { auditKey, buildExport, origin, signer, signerOf, vkey } from '../../support/audit/export-builder.ts'
import { checkpoint, entries, exported, log, textOf } from '../../support/audit/export-changes.ts'

const { bytes } = buildExport()
const itsLog = 'log_k3v7qz2m'
const anotherLog = 'log_another'
const successor = signerOf(signer.name, 9)
const endings = ['retired', 'compromised'] as const

/** The saved answer of /v1/audit/keys; `log_id` is left out of one of before it was told. */
function saved(about: { log_id?: string | null }, ...keys: Partial<AuditKey>[]): string {
  return JSON.stringify({ ...about, keys: keys.map(key => ({ ...auditKey(signer), ...key })) })
}

function trustedBy(...texts: string[]): TrustedKey[] {
  return texts.flatMap(text => {
    const read = readTrustedKeys(text)
    if (!read.ok) throw new Error(read.error)
    return read.value
  })
}

function found(texts: string[], file: Uint8Array = bytes, more: Partial<Grounds> = {}) {
  const { outcome, problem, checks } = verifyExport(file, { trusted: trustedBy(...texts), ...more })
  const open = checks.filter(({ status }) => status === 'not_proven').map(({ name }) => name)
  return { outcome, problem, open, keys: checks.find(({ name }) => name === 'keys')?.reason }
}

const sizes = (first_log_size: number | null, last_log_size: number | null) => ({
  first_log_size,
  last_log_size,
})
const verified = { outcome: 'verified', problem: null, open: [] }
const leftOpen = { outcome: 'incomplete', problem: null, open: ['keys'] }

describe('a list of the keys of the log that is verified', () => {
  it.each(endings)('bounds a key that is %s', status => {
    const upTo = (last: number | null) => [saved({ log_id: itsLog }, { status, ...sizes(1, last) })]
    expect(found(upTo(24))).toMatchObject(status === 'compromised' ? leftOpen : verified)
    expect(found(upTo(23)).problem).toMatch(/of size 1 to 23, and not of 24/)
    expect(found(upTo(null)).problem).toMatch(/signs no size of this log, and not of 24/)
  })

  it('says from where on a key signs that still does', () => {
    const since = (first: number | null) => [saved({ log_id: itsLog }, sizes(first, 30))]
    expect(found(since(24))).toMatchObject(verified)
    expect(found(since(null))).toMatchObject(verified)
    expect(found(since(25)).problem).toMatch(/of size 25 to any, and not of 24/)
  })
})

describe.each([
  ['of another log', anotherLog],
  ['for which no log was asked about', null],
])('a list %s', (_, log_id) => {
  it('says nothing against a key that still signs', () => {
    for (const status of ['active', 'next'] as const)
      expect(found([saved({ log_id }, { status, ...sizes(25, 99) })])).toMatchObject(verified)
  })

  it.each(endings)('leaves open what a %s key may have signed, and says where to ask', status => {
    for (const listed of [sizes(1, 3), sizes(1, 99), sizes(null, null)]) {
      const answer = found([saved({ log_id }, { status, ...listed })])
      expect(answer).toMatchObject(leftOpen)
      expect(answer.keys).toContain(`signed ${origin} with a key that has ended`)
      expect(answer.keys).toContain('/v1/audit/keys?origin=')
    }
  })

  it('hides nothing that is wrong besides', () => {
    const ended = [saved({ log_id }, { status: 'retired', ...sizes(1, 3) })]
    expect(found(ended, log({ entries: entries.toReversed() }))).toMatchObject({ outcome: 'invalid' })
    expect(found(ended, bytes, { log: `${origin}0` }).problem).toContain(`the log is ${origin}, and not`)
  })

  it('leaves open the proof of one event too', () => {
    const [entry] = entries
    const proof = (entry?.proof ?? []).map(hash => Buffer.from(hash, 'base64'))
    const file = formatTlogProof({ extra: null, index: entry?.index ?? 0, proof, checkpoint })
    const trusted = trustedBy(saved({ log_id }, { status: 'retired', ...sizes(1, 99) }))
    const event = Buffer.from(exported.events[0]?.event ?? '')
    const answer = verifyEvent(event, Buffer.from(file), { trusted, log: origin })
    expect(answer).toMatchObject({ outcome: 'incomplete', problem: null })
    expect(answer.checks.map(({ status }) => status)).toEqual(['proven', 'not_proven', 'proven'])
  })
})

describe('what is known of several keys, or from several lists', () => {
  const ofAnother = saved({ log_id: anotherLog }, { status: 'retired', ...sizes(1, 99) })
  const ofIt = (last: number) => saved({ log_id: itsLog }, { status: 'retired', ...sizes(1, last) })

  it('is what the list of that log says, whichever comes first', () => {
    for (const order of [(texts: string[]) => texts, (texts: string[]) => texts.toReversed()]) {
      expect(found(order([ofAnother, ofIt(24)]))).toMatchObject(verified)
      expect(found(order([ofAnother, ofIt(23)])).problem).toMatch(/of size 1 to 23/)
      expect(found(order([vkey, ofIt(23)])).problem).toMatch(/of size 1 to 23/)
      expect(found(order([ofIt(30), ofIt(23)])).problem).toMatch(/of size 1 to 23/)
      expect(found(order([ofAnother, vkey]))).toMatchObject(leftOpen)
      expect(found(order([ofAnother, saved({ log_id: itsLog })]))).toMatchObject(leftOpen)
    }
  })

  it('leaves nothing open where a key signed too that still does', () => {
    const both = log({ checkpoint: signNote(textOf(checkpoint), signer, successor) })
    const list = saved({ log_id: null }, { status: 'retired' }, auditKey(successor))
    expect(found([list], both)).toMatchObject(verified)
  })

  it('leaves open an older checkpoint by a key that has ended', () => {
    const list = saved({ log_id: anotherLog }, { status: 'retired' }, auditKey(successor))
    const now = buildExport({ signer: successor, fromSize: 5 }).bytes
    const olderCheckpoint = buildExport().checkpointAt(5)
    expect(found([list], now, { olderCheckpoint })).toMatchObject(leftOpen)
    expect(found([list], now)).toMatchObject(verified)
  })
})

describe('a list that was saved before it named its log', () => {
  it('goes for any log, as it did', () => {
    expect(found([saved({}, { status: 'retired', ...sizes(1, 24) })])).toMatchObject(verified)
    expect(found([saved({}, { status: 'retired', ...sizes(1, 3) })]).problem).toMatch(/of size 1 to 3/)
    expect(found([saved({}, { status: 'compromised', ...sizes(null, null) })]).outcome).toBe('invalid')
    expect(found([saved({}, sizes(25, 99))]).problem).toMatch(/of size 25 to any/)
  })
})

it.each(['log_', 'log_A', 'a/log/log_a', '', 7])('a list of the log %j is none', log_id => {
  expect(readTrustedKeys(saved({ log_id: log_id as string }))).toMatchObject({ ok: false })
})
