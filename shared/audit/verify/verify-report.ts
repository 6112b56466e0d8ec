import { canonicalJson } from '../../canon/canonical-json.ts'
import { documentHash } from '../../canon/digest.ts'
import { parseStrictJson } from '../../canon/strict-json.ts'
import { decodeUtf8 } from '../../canon/utf8.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/base/json.ts'
import {
  boundReportSchema,
  type ReportBody,
  reportBodySchema,
  reportPayloadType,
  verificationReportSchema,
} from '../../contract/configuration/verification-schema.ts'
import { ok, type Result, refused } from '../../result.ts'
import { type Envelope, openEnvelope } from '../note/dsse.ts'
import { areCompromised, describeKeys, type TrustedKey } from '../note/trusted-keys.ts'
import type { VerifierKey } from '../note/verifier-key.ts'
import {
  type Check,
  type CheckName,
  type Finding,
  failed,
  notProven,
  proven,
  type Verification,
} from './verification.ts'

export const reportCheckNames = ['format', 'keys', 'digest'] as const satisfies readonly CheckName[]

/**
 * Checks a verification report with its signature, or its signed envelope alone (DSSE). A trusted key must have
 * signed it, and the rest of the file must agree with the signed part. It never throws, even for invalid bytes.
 */
export function verifyReport(bytes: Uint8Array, trusted: readonly TrustedKey[]): Verification {
  const given = readGiven(bytes)
  if (!given.ok) return invalid([], 'format', given.error)
  const { envelope, report } = given.value
  if (envelope === null) return unsigned()
  const opened = openEnvelope(envelope, reportPayloadType, trusted)
  const format: Check = { name: 'format', ...proven('strict JSON, of the form of a verification report') }
  if (!opened.ok) return invalid([format], 'keys', opened.error)
  const body = readBody(opened.value.body)
  if (!body.ok) return invalid([format], 'keys', body.error)
  const keys: Check = { name: 'keys', ...standingOf(opened.value.signers, trusted) }
  const text = decodeUtf8(opened.value.body) ?? ''
  const problem = report && differenceOf(report, text)
  if (problem !== null) return invalid([format, keys], 'digest', problem)
  const digest: Check = {
    name: 'digest',
    ...proven(`what was signed has the hash ${documentHash('report', text)}`),
  }
  const outcome = keys.status === 'proven' ? 'verified' : 'incomplete'
  const notes = [...notesOf(body.value), ...(report?.says_live ? [liveNote] : [])]
  return { outcome, problem: null, checks: [format, keys, digest], notes }
}

/**
 * Judges the report by its signers alone. No log or witness covers a report, so a stolen key could have signed it.
 */
function standingOf(signers: readonly VerifierKey[], trusted: readonly TrustedKey[]): Finding {
  const keys = describeKeys(signers, trusted)
  return areCompromised(signers, trusted)
    ? notProven(`only a compromised key signed it: ${keys}`)
    : proven(`signed by trusted keys: ${keys}`)
}

const liveNote =
  '`live` and `live_policy_binding` stand beside what was signed and prove nothing: compare the hashes with the policy in force'

interface Given {
  envelope: Envelope | null
  report: { body: JsonObject; hash: string; says_live: boolean } | null
}

function readGiven(bytes: Uint8Array): Result<Given, string> {
  const json = parseStrictJson(bytes)
  if (!json.ok) return refused(`the file is not strict JSON: ${json.issue.message}`)
  if (isEnvelope(json.value)) return ok({ envelope: json.value, report: null })
  if (!isPlainObject(json.value)) return refused('the file is neither a report nor an envelope')
  const known = [verificationReportSchema, boundReportSchema].some(
    schema => schema.safeParse(json.value).success,
  )
  if (!known) return refused('the file is neither a report nor an envelope')
  const { report_hash, signature, live, live_policy_binding: _binding, ...body } = json.value
  if (signature === null) return ok({ envelope: null, report: null })
  if (!isEnvelope(signature)) return refused('the signature is no envelope')
  return ok({
    envelope: signature,
    report: { body, hash: String(report_hash), says_live: live !== undefined },
  })
}

function isEnvelope(value: JsonValue | undefined): value is JsonObject & Envelope {
  if (!isPlainObject(value) || !Array.isArray(value.signatures)) return false
  const texts = typeof value.payload === 'string' && typeof value.payloadType === 'string'
  return texts && value.signatures.every(one => isPlainObject(one) && typeof one.sig === 'string')
}

function readBody(bytes: Uint8Array): Result<ReportBody, string> {
  const json = parseStrictJson(bytes)
  const parsed = json.ok ? reportBodySchema.safeParse(json.value) : null
  return parsed?.success ? ok(parsed.data) : refused('what was signed is no verification report')
}

function differenceOf({ body, hash }: NonNullable<Given['report']>, signed: string): string | null {
  if (canonicalJson(body) !== signed) return 'the report is not the one that was signed'
  const found = documentHash('report', signed)
  return hash === found ? null : `report_hash is ${hash}, and what was signed has ${found}`
}

function notesOf({ tenant_id, result, subject, created_at }: ReportBody): string[] {
  const { policy_hash, catalog_hash, mode } = subject
  return [
    `the report of ${created_at} about the tenant ${tenant_id} says ${result}, of policy ${policy_hash}, ${catalog_hash === null ? 'no catalog' : `catalog ${catalog_hash}`}, in ${mode} mode`,
    'that the proof is right follows from no signature: ask the same again to see',
  ]
}

function unsigned(): Verification {
  const problem = 'the report is not signed'
  return { outcome: 'incomplete', problem, checks: [{ name: 'format', ...proven(problem) }], notes: [] }
}

function invalid(done: readonly Check[], name: CheckName, problem: string): Verification {
  return { outcome: 'invalid', problem, checks: [...done, { name, ...failed(problem) }], notes: [] }
}
