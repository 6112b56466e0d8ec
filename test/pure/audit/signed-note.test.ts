import { describe, expect, it } from 'vitest'
import { formatNote, openNote, parseNote, signNote } from '../../../shared/audit/note/signed-note.ts'
import {
  formatVkey,
  parseVkey,
  type VerifierKey,
  verifierKey,
} from '../../../shared/audit/note/verifier-key.ts'
import { importPrivateKey, privateKeyPem } from '../../../shared/canon/ed25519.ts'
import { readVector } from '../../support/audit/published-vectors.ts'

const signer = signerOf('gate.example', 1)
const other = signerOf('other.example', 2)
const text = 'first line\nsecond line\n'
const note = signNote(text, signer)

describe('a signed note', () => {
  it('opens for whoever trusts its key', () => {
    expect(openNote(note, [signer.key])).toEqual({
      ok: true,
      value: { text, verified: [{ key: signer.key, at: null }], unverified: [] },
    })
    expect(openNote(Buffer.from(note), [signer.key]).ok).toBe(true)
  })

  it('names the keys that are not trusted', () => {
    const both = signNote(text, other, signer)
    expect(openNote(both, [signer.key])).toMatchObject({ ok: true, value: { unverified: ['other.example'] } })
    expect(openNote(both, [signer.key, other.key])).toMatchObject({
      value: { verified: [{ key: other.key }, { key: signer.key }], unverified: [] },
    })
  })

  it('may hold blank lines in its text', () => {
    const gaps = 'one\n\ntwo\n'
    expect(openNote(signNote(gaps, signer), [signer.key])).toMatchObject({ ok: true, value: { text: gaps } })
  })

  it('does not open where one of two signatures by a trusted key fails', () => {
    const [right, wrong] = [signNote(text, signer), signNote('another\n', signer)].map(lineOf)
    const message = expect.stringContaining('the signature of gate.example+')
    for (const lines of [`${right}${wrong}`, `${wrong}${right}`])
      expect(openNote(`${text}\n${lines}`, [signer.key])).toEqual({
        ok: false,
        error: { code: 'bad_signature', message },
      })
  })

  it('does not open for a reader of other keys alone, and names those that signed', () => {
    expect(openNote(note, [other.key])).toMatchObject({
      error: { code: 'unverified', message: expect.stringContaining('only gate.example+') },
    })
  })

  it('does not open where a trusted key of the same name and id is another key', () => {
    const twin: VerifierKey = { ...other.key, name: signer.key.name, id: signer.key.id }
    expect(openNote(note, [signer.key, twin])).toMatchObject({ error: { code: 'bad_signature' } })
    expect(openNote(note, [twin, signer.key])).toMatchObject({ error: { code: 'bad_signature' } })
  })

  it.each([
    ['nothing', '', /blank line/],
    ['no blank line', note.replace('\n\n', '\n'), /blank line/],
    ['no text', `\n\n${lineOf(note)}`, /signed|blank|—|newline/],
    ['no final newline', note.slice(0, -1), /newline/],
    ['no signature', `${text}\n`, /signature/],
    ['a control character', note.replace('line', 'li\tne'), /control/],
    ['DEL', note.replace('line', 'li\u007fne'), /control/],
    ['carriage returns', note.replaceAll('\n', '\r\n'), /control/],
    ['half of a surrogate pair', note.replace('line', 'li\ud800ne'), /UTF-8/],
    ['another dash', note.replace('\u2014', '-'), /signature line/],
    ['two spaces', note.replace(' gate', '  gate'), /signature line/],
    ['something after the signature', note.replace(/\n$/, ' x\n'), /signature line/],
    ['a name with a plus', note.replace('gate.', 'gate+'), /signature line/],
    ['sloppy base64', note.replace(/=+\n$/, '\n'), /signature line/],
    ['101 signatures', note + lineOf(note).repeat(100), /more than 100/],
    ['two million characters', `${'x'.repeat(2_000_000)}${note}`, /longer/],
  ])('is refused with %s', (_, bad, problem) => {
    expect(parseNote(bad)).toEqual({
      ok: false,
      error: { code: 'malformed', message: expect.stringMatching(problem) },
    })
  })

  it('is refused where it is not UTF-8', () => {
    expect(parseNote(Buffer.concat([Uint8Array.of(0xff), Buffer.from(note)])).ok).toBe(false)
  })

  it('may have 100 signatures', () => {
    expect(openNote(note + lineOf(note).repeat(99), [signer.key]).ok).toBe(true)
  })

  it('is not made of a text that does not end its line, or holds a control character', () => {
    for (const bad of ['', 'no newline', 'tab\there\n'])
      expect(() => signNote(bad, signer)).toThrow(RangeError)
    expect(() => formatNote(text, [])).toThrow(RangeError)
  })

  it('gives back what it was made of', () => {
    const parsed = parseNote(note)
    if (!parsed.ok) throw new Error('it was refused')
    expect(formatNote(parsed.value.text, parsed.value.signatures)).toBe(note)
  })
})

describe('a verifier key', () => {
  it.each(['', 'a b', 'a+b', 'a\u00a0b', 'a\nb'])('has not the name %j', name => {
    expect(() => verifierKey(name, signer.key.publicKey)).toThrow(RangeError)
  })

  it('is not read where its key is of small order', () => {
    const low = Buffer.concat([Uint8Array.of(1, 1), Buffer.alloc(31)]).toString('base64')
    expect(parseVkey(`x+00000000+${low}`)).toMatchObject({ error: expect.stringContaining('small order') })
  })
})

describe('published notes', () => {
  const vectors = JSON.parse(readVector('signed-note/notes.json'))
  const outcomes: Record<string, string> = {
    reject_unverified: 'unverified',
    reject_malformed: 'malformed',
    reject_bad_signature: 'bad_signature',
  }

  it.each(vectors.cases as NoteVector[])('$name', vector => {
    const found = openNote(decode(vector.note_b64), vector.vkeys.map(read))
    if (vector.expect !== 'accept') {
      expect(found).toMatchObject({ error: { code: outcomes[vector.expect] } })
      return
    }
    if (!found.ok) throw new Error(found.error.message)
    const { verified, unverified } = found.value
    expect(found.value.text).toBe(decode(vector.text_b64 ?? '').toString())
    expect(verified.map(({ key }) => key.name)).toEqual(vector.verified)
    expect(unverified).toEqual(vector.unverified)
  })

  it('opens, by choice, where the same key is trusted twice', () => {
    const { note_b64, vkeys } = vectors.ambiguous_keys
    expect(openNote(decode(note_b64), vkeys.map(read)).ok).toBe(true)
  })

  it('keys are read as published, and refused with any part missing or changed', () => {
    for (const vkey of vectors.vkeys.valid) {
      expect(formatVkey(read(vkey))).toBe(vkey)
      const parts = [...vkey].flatMap((_, from) =>
        [...vkey].slice(from).map((_, more) => vkey.slice(from, from + more + 1)),
      )
      const changed = [...vkey].map(
        (char, at) => vkey.slice(0, at) + String.fromCharCode(char.charCodeAt(0) + 1) + vkey.slice(at + 1),
      )
      const bad = [...parts.filter(part => part !== vkey), ...changed]
      expect(bad.filter(text => parseVkey(text).ok)).toEqual([])
    }
    for (const [why, vkey] of vectors.vkeys.invalid) expect(parseVkey(vkey).ok, why).toBe(false)
    expect(vectors.vkeys.valid).toHaveLength(7)
  })
})

interface NoteVector {
  name: string
  note_b64: string
  vkeys: string[]
  expect: string
  text_b64?: string
  verified?: string[]
  unverified?: string[]
}

function signerOf(name: string, seed: number) {
  const privateKey = importPrivateKey(privateKeyPem(Buffer.alloc(32, seed)))
  return { name, privateKey, key: verifierKey(name, privateKey.publicKey) }
}

function lineOf(signed: string): string {
  return signed.slice(signed.lastIndexOf('\n\n') + 2)
}

function decode(base64: string): Buffer {
  return Buffer.from(base64, 'base64')
}

function read(vkey: string): VerifierKey {
  const key = parseVkey(vkey)
  if (!key.ok) throw new Error(key.error)
  return key.value
}
