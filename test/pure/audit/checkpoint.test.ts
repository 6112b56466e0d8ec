import { describe, expect, it } from 'vitest'
import { leafHash } from '../../../shared/audit/merkle/merkle.ts'
import {
  formatCheckpoint,
  logOrigin,
  openCheckpoint,
  parseCheckpoint,
  statementOrigin,
} from '../../../shared/audit/note/checkpoint.ts'
import { openNote, readCosignature, verifyCosignature } from '../../../shared/audit/note/signed-note.ts'
import { parseVkey, type VerifierKey } from '../../../shared/audit/note/verifier-key.ts'
import { readVector } from '../../support/audit/published-vectors.ts'

const root = leafHash('a')
const base64 = root.toString('base64')

describe('the text of a checkpoint', () => {
  it('is three lines, which say the same when they are read', () => {
    const origin = statementOrigin('gate.example', 'demo', 'act_1')
    const text = formatCheckpoint({ origin, size: 7, root })
    expect(text).toBe(`gate.example/action/demo/act_1\n7\n${base64}\n`)
    expect(parseCheckpoint(text)).toEqual({ ok: true, value: { origin, size: 7, root } })
    expect(logOrigin('gate.example', 'x1')).toBe('gate.example/log/x1')
  })

  it.each([
    ['an extension line', `log\n1\n${base64}\nmore\n`, /extension/],
    ['a blank line after it', `log\n1\n${base64}\n\n`, /extension/],
    ['no final newline', `log\n1\n${base64}`, /three lines/],
    ['no root', 'log\n1\n', /three lines/],
    ['no origin', `\n1\n${base64}\n`, /origin/],
    ['a signed size', `log\n+1\n${base64}\n`, /size/],
    ['a negative size', `log\n-1\n${base64}\n`, /size/],
    ['a leading zero', `log\n01\n${base64}\n`, /size/],
    ['a fraction', `log\n1.0\n${base64}\n`, /size/],
    ['digits of another script', `log\n١\n${base64}\n`, /size/],
    ['a size of 2^53', `log\n9007199254740992\n${base64}\n`, /size/],
    ['a size of 2^63', `log\n9223372036854775808\n${base64}\n`, /size/],
    ['a short root', `log\n1\n${root.subarray(1).toString('base64')}\n`, /root/],
    ['a root in sloppy base64', `log\n1\n${base64.replace('=', '')}\n`, /root/],
    ['bits after the root', `log\n1\n${'A'.repeat(42)}B=\n`, /root/],
    ['a root of nothing that is something', `log\n0\n${base64}\n`, /nothing/],
  ])('is refused with %s', (_, text, problem) => {
    expect(parseCheckpoint(text)).toEqual({ ok: false, error: expect.stringMatching(problem) })
  })

  it('is not written where it could not be read again', () => {
    for (const bad of [
      { origin: '' },
      { origin: 'a\nb' },
      { size: -1 },
      { size: 0.5 },
      { root: Buffer.alloc(31) },
    ])
      expect(() => formatCheckpoint({ origin: 'log', size: 1, root, ...bad })).toThrow(RangeError)
  })
})

describe('published checkpoints', () => {
  const published = JSON.parse(readVector('tlog/checkpoints.json'))
  const problems: Record<string, RegExp> = {
    reject_unverified: /no trusted key/,
    reject_bad_signature: /signature of sum\.golang\.org/,
  }

  it.each(published.cases as CheckpointVector[])('$name', vector => {
    const found = openCheckpoint(decode(vector.checkpoint_b64), [read(published.vkey)])
    if (!found.ok) {
      expect(found.error).toMatch(problems[vector.expect] ?? /^$/)
      return
    }
    const { origin, size } = found.value
    expect(origin === vector.origin ? 'accept' : 'reject_origin').toBe(vector.expect)
    if (vector.expect === 'accept')
      expect([size, found.value.root.toString('base64')]).toEqual([vector.size, vector.root_b64])
  })

  it('bodies: 13 are refused, that of the empty tree is not', () => {
    const bodies: { body_b64: string; strict: string }[] = published.body_parse.cases
    const wrong = bodies.filter(
      ({ body_b64, strict }) =>
        parseCheckpoint(decode(body_b64).toString()).ok !== strict.startsWith('accept'),
    )
    expect(bodies).toHaveLength(14)
    expect(wrong).toEqual([])
  })

  it('of the golden log are all signed', () => {
    const log = JSON.parse(readVector('tlog/tessera-golden-log.json'))
    const found = log.checkpoints_b64.map((note: string) => openCheckpoint(decode(note), [read(log.vkey)]))
    expect(found).toMatchObject(
      Array.from({ length: 16 }, (_, size) => ({ ok: true, value: { origin: log.origin, size } })),
    )
  })
})

describe('published cosignatures', () => {
  const published = JSON.parse(readVector('tlog/cosignature.json'))

  it.each(published.cases as CheckpointVector[])('$name', vector => {
    const witness = read(published.witness_vkey)
    const opened = openNote(decode(vector.checkpoint_b64), [witness])
    if (vector.expect === 'accept') {
      expect(opened).toMatchObject({ value: { verified: [{ key: witness, at: vector.timestamp }] } })
    } else expect(opened).toMatchObject({ error: { code: 'bad_signature' } })
  })

  it('is over the bytes that the publisher gives', () => {
    const witness = read(published.witness_vkey)
    const [genuine] = published.cases
    const body = decode(genuine.signed_message_b64).toString().split('\n').slice(2).join('\n')
    const line = decode(genuine.checkpoint_b64).toString().trimEnd().split(' ').at(-1) ?? ''
    expect(verifyCosignature(witness.publicKey, body, decode(line).subarray(4))).toEqual({
      at: genuine.timestamp,
    })
  })

  it('a witness alone does not vouch for a checkpoint', () => {
    const note = decode(published.cases[0].checkpoint_b64)
    expect(openCheckpoint(note, [read(published.witness_vkey)])).toMatchObject({
      error: expect.stringContaining('only witnesses'),
    })
  })

  it('names its time, unless it is a plain signature', () => {
    const times = published.timestamp_only.map(({ sig_b64 }: { sig_b64: string }) =>
      readCosignature(decode(sig_b64).subarray(4)),
    )
    expect(times).toMatchObject([{ at: published.timestamp_only[0].timestamp }, null, null])
  })
})

interface CheckpointVector {
  name: string
  checkpoint_b64: string
  expect: string
  origin?: string
  size?: number
  root_b64?: string
  timestamp?: number
}

function decode(text: string): Buffer {
  return Buffer.from(text, 'base64')
}

function read(vkey: string): VerifierKey {
  const key = parseVkey(vkey)
  if (!key.ok) throw new Error(key.error)
  return key.value
}
