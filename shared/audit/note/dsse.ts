import { hex } from '../../canon/digest.ts'
import { signEd25519, verifyEd25519 } from '../../canon/ed25519.ts'
import { decodeBase64 } from '../../canon/spelling.ts'
import { ok, type Result, refused } from '../../result.ts'
import type { NoteSigner } from './signed-note.ts'
import { keyId, type VerifierKey } from './verifier-key.ts'

export interface Envelope {
  payload: string
  payloadType: string
  signatures: { keyid?: string | undefined; sig: string }[]
}

/** Signs a body together with its type (DSSE, Ed25519), so that no reader can take it for another type. */
export function signEnvelope(payloadType: string, body: Uint8Array, signer: NoteSigner): Envelope {
  const { name, privateKey } = signer
  return {
    payload: Buffer.from(body).toString('base64'),
    payloadType,
    signatures: [
      {
        keyid: `${name}+${hex(keyId(name, privateKey.publicKey))}`,
        sig: signEd25519(privateKey, preAuthEncoding(payloadType, body)).toString('base64'),
      },
    ],
  }
}

/**
 * Opens an envelope of the wanted type. Returns its body and the trusted keys that signed it, or the problem. It
 * tries every trusted key, because key ids in DSSE are only hints.
 */
export function openEnvelope(
  envelope: Envelope,
  wantedType: string,
  trusted: readonly VerifierKey[],
): Result<{ body: Buffer; signers: VerifierKey[] }, string> {
  if (envelope.payloadType !== wantedType) return refused(`the payload is not of type ${wantedType}`)
  const body = decodeEither(envelope.payload)
  if (body === null) return refused('the payload is not in base64')
  const signed = preAuthEncoding(envelope.payloadType, body)
  const signatures = envelope.signatures.map(({ sig }) => decodeEither(sig))
  const signers = trusted
    .filter(({ algorithm }) => algorithm === 'ed25519')
    .filter(({ publicKey }) => signatures.some(sig => sig !== null && verifyEd25519(publicKey, signed, sig)))
  return signers.length > 0 ? ok({ body, signers }) : refused('no trusted key signed the envelope')
}

/** Computes the signed bytes of DSSE (PAE). Lengths count UTF-8 bytes. */
export function preAuthEncoding(payloadType: string, body: Uint8Array): Buffer {
  const type = Buffer.from(payloadType)
  const head = `DSSEv1 ${type.length} ${payloadType} ${body.length} `
  return Buffer.concat([Buffer.from(head), body])
}

/** Decodes standard or URL-safe base64, since DSSE requires readers to accept both. It refuses a mixture. */
function decodeEither(text: string): Buffer | null {
  if (!/[-_]/.test(text)) return decodeBase64(text)
  if (/[+/]/.test(text)) return null
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
}
