import { describe, expect, it } from 'vitest'
import { leafHash } from '../../../shared/audit/merkle/merkle.ts'
import { formatTlogProof, parseTlogProof, verifyTlogProof } from '../../../shared/audit/merkle/tlog-proof.ts'
import { parseVkey } from '../../../shared/audit/note/verifier-key.ts'
import { readVector } from '../../support/audit/published-vectors.ts'

const hash = leafHash('a')

describe('the file of a proof', () => {
  it('says the same when it is read', () => {
    const proof = {
      extra: Buffer.from('more'),
      index: 5,
      proof: [hash, leafHash('b')],
      checkpoint: 'log\n\n\n— x\n',
    }
    expect(parseTlogProof(formatTlogProof(proof))).toEqual({ ok: true, value: proof })
    const bare = { extra: null, index: 0, proof: [], checkpoint: 'note\n' }
    expect(parseTlogProof(formatTlogProof(bare))).toEqual({ ok: true, value: bare })
  })

  it.each([
    ['a short hash', `c2sp.org/tlog-proof@v1\nindex 0\nAAAA\n\nnote\n`, /32 bytes/],
    [
      'too many hashes',
      `c2sp.org/tlog-proof@v1\nindex 0\n${`${hash.toString('base64')}\n`.repeat(64)}\nnote\n`,
      /63/,
    ],
    ['no blank line', 'c2sp.org/tlog-proof@v1\nindex 0\n', /blank line/],
    ['an index of 2^53', 'c2sp.org/tlog-proof@v1\nindex 9007199254740992\n\nnote\n', /index/],
  ])('is refused with %s', (_, text, problem) => {
    expect(parseTlogProof(text)).toEqual({ ok: false, error: expect.stringMatching(problem) })
  })
})

describe('published proofs of the Go checksum database', () => {
  const cases = JSON.parse(readVector('tlog/tlog-proof-cases.json'))
  const file = readVector('tlog/sumdb-43930254.tlog-proof')

  it('the leaf has the hash that is published', () => {
    expect(leafHash(readVector('tlog/sumdb-43930254.leaf')).toString('hex')).toBe(cases.leaf_hash_hex)
  })

  it.each(cases.verify as ProofVector[])('$name', ({ expect: expected, mutate, vkey }) => {
    const { text, leaf } = mutated(mutate)
    const accepted = outcome(text, leaf, vkey ?? cases.vkey)
    expect(accepted).toBe(expected === 'accept')
  })

  it.each(cases.parse_reject as { name: string; proof_b64: string }[])('$name: not read', ({ proof_b64 }) => {
    expect(parseTlogProof('c2sp.org/tlog-proof@v1\nindex 0\n\ncheckpoint\n').ok).toBe(true)
    expect(parseTlogProof(Buffer.from(proof_b64, 'base64').toString()).ok).toBe(false)
  })

  function outcome(text: string, leaf: Buffer, vkey: string): boolean {
    const key = parseVkey(vkey)
    const proof = parseTlogProof(text)
    return (
      key.ok &&
      proof.ok &&
      verifyTlogProof(proof.value, leaf, { trusted: [key.value], origin: cases.origin }).ok
    )
  }

  function mutated(mutate: string | undefined): { text: string; leaf: Buffer } {
    const leaf = Buffer.from(cases.leaf_hash_hex, 'hex')
    const lines = file.split('\n')
    switch (mutate) {
      case undefined:
        return { text: file, leaf }
      case 'leaf_hash[0]^=0xff':
        return { text: file, leaf: Buffer.concat([Uint8Array.of((leaf[0] ?? 0) ^ 0xff), leaf.subarray(1)]) }
      case 'truncate 50':
        return { text: Buffer.from(file).subarray(0, -50).toString(), leaf }
      case 'append \\n\\n\\n':
        return { text: `${file}\n\n\n`, leaf }
      case 'index+1':
        return { text: file.replace('index 43930254', 'index 43930255'), leaf }
      case 'swap lines 3,4':
        return {
          text: lines
            .with(2, lines[3] ?? '')
            .with(3, lines[2] ?? '')
            .join('\n'),
          leaf,
        }
      case 'drop last hash':
        return { text: lines.toSpliced(lines.indexOf('') - 1, 1).join('\n'), leaf }
      default:
        throw new Error(`the mutation ${mutate} is not known`)
    }
  }
})

it('a proof is of the log that is asked for', () => {
  const cases = JSON.parse(readVector('tlog/tlog-proof-cases.json'))
  const proof = parseTlogProof(readVector('tlog/sumdb-43930254.tlog-proof'))
  const key = parseVkey(cases.vkey)
  if (!proof.ok || !key.ok) throw new Error('the vector was not read')
  const leaf = Buffer.from(cases.leaf_hash_hex, 'hex')
  expect(verifyTlogProof(proof.value, leaf, { trusted: [key.value], origin: 'other' })).toEqual({
    ok: false,
    error: `the checkpoint is of ${cases.origin}`,
  })
})

interface ProofVector {
  name: string
  expect: string
  mutate?: string
  vkey?: string
}
