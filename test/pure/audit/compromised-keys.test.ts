import { describe, expect, it } from 'vitest'
import { reportOn } from '../../../api/bin/verify/report-on.ts'
import { formatTlogProof } from '../../../shared/audit/merkle/tlog-proof.ts'
import { signEnvelope } from '../../../shared/audit/note/dsse.ts'
import { parseNote, signNote } from '../../../shared/audit/note/signed-note.ts'
import { readTrustedKeys, type TrustedKey } from '../../../shared/audit/note/trusted-keys.ts'
import { keyId, verifierKey } from '../../../shared/audit/note/verifier-key.ts'
import { verifyEvent } from '../../../shared/audit/verify/verify-event.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import { verifyReport } from '../../../shared/audit/verify/verify-report.ts'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import { signEd25519 } from '../../../shared/canon/ed25519.ts'
import type { AuditKey } from '../../../shared/contract/action/audit-log.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import { reportPayloadType } from '../../../shared/contract/configuration/verification-schema.ts'
import { exampleVerificationReport } from '../../../shared/contract/examples/example-verification.ts'
import { auditKey, buildExport, origin, signer, signerOf } from '../../support/audit/export-builder.ts'
import { checkpoint, entries, exported, log, size, textOf } from '../../support/audit/export-changes.ts'

const statuses = ['next', 'active', 'retired', 'compromised'] as const
const successor = signerOf(signer.name, 9)
const witness = signerOf('witness.example.org', 99)
const witnessKey = verifierKey(witness.name, witness.privateKey.publicKey, 'cosignature')
const { bytes } = buildExport()

/** The saved answer of /v1/audit/keys for the log, in which the signer's key stands so. */
function listed(status: AuditKey['status'], ...more: AuditKey[]): TrustedKey[] {
  const own = { ...auditKey(signer), status, first_log_size: 1, last_log_size: size }
  const read = readTrustedKeys(JSON.stringify({ log_id: 'log_k3v7qz2m', keys: [own, ...more] }))
  if (!read.ok) throw new Error(read.error)
  return read.value
}

function check(file: Uint8Array, trusted: TrustedKey[], olderCheckpoint?: string) {
  const verification = verifyExport(file, { trusted, olderCheckpoint })
  const keys = verification.checks.find(({ name }) => name === 'keys')
  return { outcome: verification.outcome, keys: keys?.reason ?? '', exit: reportOn(verification).exitCode }
}

/** The checkpoint as the witness saw it. */
function cosigned(note: string): string {
  const parsed = parseNote(note)
  if (!parsed.ok) throw new Error(parsed.error.message)
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(1_763_000_000n)
  const message = Buffer.from(`cosignature/v1\ntime 1763000000\n${parsed.value.text}`)
  const signature = Buffer.concat([
    keyId(witness.name, witness.privateKey.publicKey, 'cosignature'),
    time,
    signEd25519(witness.privateKey, message),
  ])
  return `${note}\u2014 ${witness.name} ${signature.toString('base64')}\n`
}

describe('an export that a compromised key alone signed', () => {
  it('is not proven, with exit code 3', () => {
    const found = check(bytes, listed('compromised'))
    expect(found).toMatchObject({ outcome: 'incomplete', exit: 3 })
    expect(found.keys).toMatch(/^only a compromised key signed .*\(compromised\)$/)
  })

  it('is not proven where a later list of a key given before says so', () => {
    expect(check(bytes, [...listed('active'), ...listed('compromised')]).exit).toBe(3)
  })

  it('is proven where a kept checkpoint holds every event', () => {
    const { bytes: file, checkpointAt } = buildExport({ fromSize: size - 1 })
    const last = Math.max(...entries.map(({ index }) => index))
    const kept = checkpointAt(size)
    expect(check(bytes, listed('compromised'), kept)).toMatchObject({ outcome: 'verified', exit: 0 })
    const short = check(file, listed('compromised'), checkpointAt(size - 1))
    expect(short.exit).toBe(last < size - 1 ? 0 : 3)
    const early = buildExport({ fromSize: 5 })
    expect(check(early.bytes, listed('compromised'), early.checkpointAt(5)).exit).toBe(3)
  })

  it('is proven where a trusted witness saw its checkpoint', () => {
    const file = log({ checkpoint: cosigned(checkpoint) })
    expect(check(file, listed('compromised')).exit).toBe(3)
    const found = check(file, [...listed('compromised'), witnessKey])
    expect(found).toMatchObject({ outcome: 'verified', exit: 0 })
    expect(found.keys).toContain('the witness witness.example.org saw the checkpoint')
  })

  it('is not proven where another key signed the checkpoint and not the statement', () => {
    const both = log({ checkpoint: signNote(textOf(checkpoint), signer, successor) })
    expect(check(both, listed('compromised', auditKey(successor))).exit).toBe(3)
  })
})

describe('what a verification says of its keys', () => {
  it.each(statuses)('names the status %s of the key that signed', status => {
    expect(check(bytes, listed(status)).keys).toMatch(
      new RegExp(`gate\\.example\\.org\\+[0-9a-f]{8} \\(${status}\\)$`),
    )
  })

  it('says where a key was given without a status', () => {
    const key = verifierKey(signer.name, signer.privateKey.publicKey)
    expect(check(bytes, [key]).keys).toMatch(/\(given without a status\)$/)
  })
})

describe('the proof of one event under a compromised key', () => {
  const [entry] = entries
  const event = Buffer.from(exported.events[0]?.event ?? '')
  const proofUnder = (note: string) =>
    Buffer.from(
      formatTlogProof({
        extra: null,
        index: entry?.index ?? 0,
        proof: (entry?.proof ?? []).map(hash => Buffer.from(hash, 'base64')),
        checkpoint: note,
      }),
    )

  it('is not proven unless a trusted witness saw the checkpoint', () => {
    const trusted = [...listed('compromised'), witnessKey]
    const found = (note: string) => verifyEvent(event, proofUnder(note), { trusted, log: origin }).outcome
    expect(found(checkpoint)).toBe('incomplete')
    expect(found(cosigned(checkpoint))).toBe('verified')
  })
})

describe('a report', () => {
  const { report_hash: _hash, signature: _signature, ...body } = exampleVerificationReport
  const text = canonicalJson(JSON.parse(JSON.stringify(body)) as JsonValue)
  const signature = signEnvelope(reportPayloadType, Buffer.from(text), signer)
  const report = { ...body, report_hash: documentHash('report', text), signature }
  const read = (file: object, trusted = listed('active')) =>
    verifyReport(Buffer.from(JSON.stringify(file)), trusted)

  it('is not proven where a compromised key alone signed it', () => {
    expect(read(report)).toMatchObject({ outcome: 'verified' })
    expect(read(report, listed('compromised'))).toMatchObject({ outcome: 'incomplete' })
    const both = {
      ...signature,
      signatures: [
        ...signature.signatures,
        ...signEnvelope(reportPayloadType, Buffer.from(text), successor).signatures,
      ],
    }
    expect(read(both, listed('compromised', auditKey(successor)))).toMatchObject({ outcome: 'verified' })
  })

  it('names its tenant, which is signed', () => {
    expect(read(report).notes.join()).toContain(`about the tenant ${body.tenant_id} says`)
    expect(read({ ...report, tenant_id: 'another' })).toMatchObject({ outcome: 'invalid' })
  })

  it('proves nothing by a live that stands beside it, and says so', () => {
    const live = { ...report, live: true, live_policy_binding: { status: 'current' } }
    expect(read(live).notes.join()).toContain('prove nothing')
    expect(read(report).notes.join()).not.toContain('`live`')
  })
})
