import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  type Envelope,
  openEnvelope,
  preAuthEncoding,
  signEnvelope,
} from '../../../shared/audit/note/dsse.ts'
import { type VerifierKey, verifierKey } from '../../../shared/audit/note/verifier-key.ts'
import { importPrivateKey, privateKeyPem } from '../../../shared/canon/ed25519.ts'
import { readVector } from '../../support/audit/published-vectors.ts'

const type = 'application/vnd.action-gate.verification.v1+json'
const privateKey = importPrivateKey(privateKeyPem(Buffer.alloc(32, 3)))
const key = verifierKey('gate.example', privateKey.publicKey)
const body = Buffer.from('{"found":">>>???~"}')
const envelope = signEnvelope(type, body, { name: 'gate.example', privateKey })
const [signature] = envelope.signatures

describe('an envelope', () => {
  it('opens for whoever trusts its key', () => {
    expect(openEnvelope(envelope, type, [key])).toEqual({ ok: true, value: { body, signers: [key] } })
  })

  it('opens with URL-safe base64, any key id, and beside the signature of another', () => {
    const payload = envelope.payload.replaceAll('+', '-').replaceAll('/', '_')
    expect(payload).not.toBe(envelope.payload)
    expect(openEnvelope({ ...envelope, payload }, type, [key]).ok).toBe(true)
    const signatures = [{ sig: 'AAAA' }, { keyid: 'x', sig: signature?.sig ?? '' }]
    expect(openEnvelope({ ...envelope, signatures }, type, [key]).ok).toBe(true)
  })

  const changes: [string, Partial<Envelope>, RegExp][] = [
    ['another type', { payloadType: `${type}x` }, /type/],
    ['another body', { payload: Buffer.from('{}').toString('base64') }, /no trusted key/],
    ['a space in its base64', { payload: ` ${envelope.payload}` }, /base64/],
    ['no padding', { payload: envelope.payload.replace(/=*$/, '') }, /base64/],
    ['two alphabets at once', { payload: '+_8=' }, /base64/],
    ['no signature', { signatures: [] }, /no trusted key/],
    ['a signature that is none', { signatures: [{ sig: '?' }] }, /no trusted key/],
  ]
  it.each(changes)('does not open with %s', (_, change, problem) => {
    const wrong = { ...envelope, ...change }
    expect(openEnvelope(wrong, type, [key])).toEqual({ ok: false, error: expect.stringMatching(problem) })
  })

  it('does not open for another type, for other keys, or by the key of a witness', () => {
    expect(openEnvelope(envelope, 'text/plain', [key]).ok).toBe(false)
    expect(openEnvelope(envelope, type, []).ok).toBe(false)
    const witness: VerifierKey = { ...key, algorithm: 'cosignature' }
    expect(openEnvelope(envelope, type, [witness]).ok).toBe(false)
  })
})

describe('published envelopes', () => {
  const vectors = JSON.parse(readVector('dsse/dsse.json'))

  it('what is signed', () => {
    expect(vectors.pae).toHaveLength(3)
    for (const { type, body_b64, pae_b64 } of vectors.pae)
      expect(preAuthEncoding(type, Buffer.from(body_b64, 'base64')).toString('base64')).toBe(pae_b64)
  })

  it('a signature by ECDSA over it, and every change of it', () => {
    const { envelope, x_dec, y_dec } = vectors.ecdsa_p256_sha256
    const publicKey = createPublicKey({
      key: { kty: 'EC', crv: 'P-256', x: coordinate(x_dec), y: coordinate(y_dec) },
      format: 'jwk',
    })
    const holds = (type: string, body: Buffer, sig: Buffer) =>
      verify('sha256', preAuthEncoding(type, body), { key: publicKey, dsaEncoding: 'ieee-p1363' }, sig)
    const body = Buffer.from(envelope.payload, 'base64')
    const sig = Buffer.from(envelope.signatures[0].sig, 'base64')
    expect(holds(envelope.payloadType, body, sig)).toBe(true)
    expect(holds(envelope.payloadType.replace('H', 'h'), body, sig)).toBe(false)
    expect(holds(envelope.payloadType, Buffer.concat([body, Buffer.from(' ')]), sig)).toBe(false)
    expect(holds(envelope.payloadType, body, Buffer.from(sig).fill(0, 5, 6))).toBe(false)
  })
})

function coordinate(decimal: string): string {
  return Buffer.from(BigInt(decimal).toString(16).padStart(64, '0'), 'hex').toString('base64url')
}
