import { type Envelope, signEnvelope } from '../../audit/note/dsse.ts'
import { keyId } from '../../audit/note/verifier-key.ts'
import { hex } from '../../canon/digest.ts'
import { reportPayloadType } from '../../contract/configuration/verification-schema.ts'
import type { Signing, SigningKey } from '../../runtime/secrets/service-keys.ts'
import {
  insertReportSignatures,
  readUnsignedReports,
  takeReportSigner,
} from '../../store/log/report-signing.ts'
import { holdSigningKeys } from '../../store/log/signing-keys.ts'
import type { Writer } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'

const atOnce = 100

export async function signReports(context: Context, { keys }: Pick<Signing, 'keys'>): Promise<boolean> {
  return context.store.write('all', async writer => {
    if (!(await takeReportSigner(writer))) return false
    const reports = await readUnsignedReports(writer, atOnce)
    if (reports.length === 0) return false
    const signers = await goodSigners(writer, keys)
    const signatures = reports.map(({ body, ...report }) => ({
      ...report,
      envelope: JSON.stringify(signedByAll(body, signers)),
    }))
    await insertReportSignatures(writer, signatures)
    return reports.length === atOnce
  })
}

/**
 * Builds one envelope with a signature by each key, because during a key change some readers trust only the old
 * key.
 */
function signedByAll(body: Uint8Array, signers: readonly SigningKey[]): Envelope {
  const envelopes = signers.map(signer => signEnvelope(reportPayloadType, body, signer))
  const [first] = envelopes
  if (!first) throw new Error('nothing is signed by nobody')
  return { ...first, signatures: envelopes.flatMap(({ signatures }) => signatures) }
}

/** Returns the keys of this process that may sign, locked until the transaction ends; throws if none may. */
export async function goodSigners(writer: Writer, keys: readonly SigningKey[]): Promise<SigningKey[]> {
  const good = await holdSigningKeys(writer, keys.map(keyIdOf))
  const signers = keys.filter(key => good.has(keyIdOf(key)))
  if (signers.length === 0) throw new Error('none of the signing keys of this process may sign any more')
  return signers
}

export function keyIdOf({ name, privateKey }: SigningKey): string {
  return hex(keyId(name, privateKey.publicKey))
}
