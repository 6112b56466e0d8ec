import { type Envelope, signEnvelope } from '../../audit/note/dsse.ts'
import { reportPayloadType } from '../../contract/configuration/verification.ts'
import type { Signing, SigningKey } from '../../runtime/secrets/signing-key.ts'
import {
  insertReportSignatures,
  readUnsignedReports,
  takeReportSigner,
} from '../../store/log/report-signing.ts'
import type { Context } from '../core/context.ts'
import { goodSigners } from './good-signers.ts'

const atOnce = 100

/** Sign verification reports that nobody has signed yet. Returns whether more may wait. */
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

/** One envelope with a signature of each key: while one replaces the other, both are trusted by somebody. */
function signedByAll(body: Uint8Array, signers: readonly SigningKey[]): Envelope {
  const envelopes = signers.map(signer => signEnvelope(reportPayloadType, body, signer))
  const [first] = envelopes
  if (!first) throw new Error('nothing is signed by nobody')
  return { ...first, signatures: envelopes.flatMap(({ signatures }) => signatures) }
}
