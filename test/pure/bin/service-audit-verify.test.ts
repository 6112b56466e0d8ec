import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { formatTlogProof } from '../../../shared/audit/merkle/tlog-proof.ts'
import { signEnvelope } from '../../../shared/audit/note/dsse.ts'
import { checkNames } from '../../../shared/audit/verify/verification.ts'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import { reportPayloadType } from '../../../shared/contract/configuration/verification-schema.ts'
import { exampleVerificationReport } from '../../../shared/contract/examples/example-verification.ts'
import {
  auditKey,
  buildExport,
  fileOf,
  origin,
  redigested,
  signer,
  vkey,
} from '../../support/audit/export-builder.ts'
import { entry, inPlaces } from '../../support/audit/trace-entries.ts'
import { repositoryRoot } from '../../support/repository-root.ts'

const folder = mkdtempSync(join(tmpdir(), 'service-audit-verify-'))
afterAll(() => rmSync(folder, { recursive: true }))

const built = buildExport({ fromSize: 5 })
const good = write('good.json', built.bytes)
const kept = write('kept.txt', built.checkpointAt(5))
const keyFile = write('keys.txt', `# of the gate\n\n${vkey}\n`)
const keyList = write('keys.json', JSON.stringify({ log_id: 'log_k3v7qz2m', keys: [auditKey(signer)] }))
const retired = { ...auditKey(signer), status: 'retired', last_log_size: 3 }
const listOfAnother = write('another.json', JSON.stringify({ log_id: 'log_another', keys: [retired] }))
const tampered = write('tampered.json', fileOf({ ...built.exported, tenant_id: 'domo' }))

describe('service-audit-verify, where the export holds', () => {
  it.each([
    ['a key', vkey],
    ['a file of keys', keyFile],
    ['the saved answer of /v1/audit/keys', keyList],
  ])('exits 0 and prints each check, with %s', async (_, key) => {
    const { code, out, err } = await run([good, '--key', key, '--checkpoint', kept, '--log', origin])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [first, , ...lines] = out.trimEnd().split('\n')
    expect(first).toBe('verified: everything that was checked holds')
    expect(lines.map(line => line.trim().split(/ {2,}/).slice(0, 2))).toEqual(
      checkNames.map(name => ['proven', name]),
    )
  })

  it('reads standard input', async () => {
    const { code, out } = await run(['-', '--key', vkey], built.bytes)
    expect({ code, first: out.split(':')[0] }).toEqual({ code: 0, first: 'verified' })
    expect(out).toContain('note: no older checkpoint was given')
  })

  it('exits 0 for an action that has not ended, and says so', async () => {
    const entries = inPlaces([entry.proposed(), entry.verdict('needs_approval')])
    const { code, out } = await run(['-', '--key', vkey], buildExport({ entries }).bytes)
    expect(code).toBe(0)
    expect(out).toMatch(/^verified_open: /)
    expect(out).toMatch(/ not proven {2}ending {9}the action has not ended/)
  })

  it('says what was erased', async () => {
    const entries = inPlaces([entry.proposed(), entry.verdict('deny'), entry.erased()])
    const { code, out } = await run(['-', '--key', vkey], buildExport({ entries, without: [0, 1] }).bytes)
    expect(code).toBe(0)
    expect(out).toMatch(/ erased {6}payloads {7}events 0, 1: the payload was erased/)
  })

  it('prints JSON for programs', async () => {
    const { code, out } = await run([good, '--key', vkey, '--format', 'json'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ outcome: 'verified', problem: null, notes: [expect.any(String)] })
    expect(JSON.parse(out).checks[0]).toEqual({
      name: 'format',
      status: 'proven',
      reason: 'strict JSON, of the form of an audit export',
    })
  })
})

describe('service-audit-verify, where it does not', () => {
  it('exits 1, names the first thing wrong, and what was not reached', async () => {
    const { code, out } = await run([tampered, '--key', vkey])
    expect(code).toBe(1)
    expect(out).toMatch(/^invalid: event 0: the event is of another tenant\n/)
    expect(out.match(/not reached/g)).toHaveLength(checkNames.length - checkNames.indexOf('events') - 1)
  })

  it('exits 1 with the same in JSON', async () => {
    const { code, out } = await run([tampered, '--key', vkey, '--format', 'json'])
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      outcome: 'invalid',
      checks: [{ name: 'format' }, { name: 'keys' }, { name: 'events', status: 'failed' }],
    })
  })

  it('exits 1 for a fork, and prints both roots', async () => {
    const fork = buildExport({ others: 'another' }).checkpointAt(built.size)
    const roots = [fork, built.checkpointAt(built.size)].map(note => note.split('\n')[2] ?? '')
    const { code, out } = await run([good, '--key', vkey, '--checkpoint', write('fork.txt', fork)])
    expect(code).toBe(1)
    for (const root of roots) expect(out).toContain(root)
  })

  it.each([
    ['not JSON', Buffer.from('<html>'), /^invalid: the file is not strict JSON: .*byte 0/],
    ['empty', Buffer.alloc(0), /^invalid: the file is not strict JSON/],
  ])('exits 1 for a file that is %s', async (_, bytes, first) => {
    const { code, out } = await run(['-', '--key', vkey], bytes)
    expect(code).toBe(1)
    expect(out).toMatch(first)
  })

  it('exits 1 for a huge file, of which it reads no more than the most it takes', async () => {
    const huge = write('huge.json', '{')
    truncateSync(huge, 2 ** 40)
    const { code, out } = await run([huge, '--key', vkey])
    expect(code).toBe(1)
    expect(out).toMatch(/^invalid: the file is larger than 67108864 bytes/)
  })

  it('prints nothing that commands a terminal', async () => {
    const evil = { ...built.exported, '\u001b[2Jevil\u202e\n': 1 }
    const { code, out } = await run(['-', '--key', vkey], redigested(evil))
    expect(code).toBe(1)
    expect(out).toContain('\\u{1b}[2Jevil\\u{202e}\\u{a}')
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  it('exits 3 where nothing is wrong and something is not proven', async () => {
    const pending = redigested({ ...built.exported, log: { pending: true } })
    const { code, out } = await run(['-', '--key', vkey], pending)
    expect(code).toBe(3)
    expect(out).toMatch(/^incomplete: .*\n(.*\n)* {2}not proven {2}log /)
  })

  it('exits 3 where the keys are those of another log and one has ended', async () => {
    const { code, out } = await run([good, '--key', listOfAnother, '--checkpoint', kept])
    expect(code).toBe(3)
    expect(out).toMatch(/^incomplete: .*\n(.*\n)* {2}not proven {2}keys .*\?origin=/)
    expect(out).not.toMatch(/FAILED|not reached/)
  })

  it('exits 3 for a legacy record', async () => {
    const legacy = { ...built.exported, integrity_version: 'legacy-v0' as const, events: [] }
    const { code, out } = await run(['-', '--key', vkey], redigested(legacy))
    expect(code).toBe(3)
    expect(out).toMatch(/^legacy: /)
  })
})

describe('service-audit-verify, given the proof of one event', () => {
  const { log, events } = built.exported
  if ('pending' in log) throw new Error('the log is pending')
  const event = write('event.json', events[1]?.event ?? '')
  const proof = write('proof.txt', proofFile(log, 1))

  it('exits 0 where it holds, and 1 where it is one of another event', async () => {
    const options = ['--event', event, '--key', vkey, '--log', origin]
    const [good, bad] = await Promise.all([
      run([proof, ...options]),
      run([write('other.txt', proofFile(log, 2)), ...options]),
    ])
    expect(good.code).toBe(0)
    expect(good.out).toMatch(
      /^verified: .*\n\n {2}proven {6}format .*\n {2}proven {6}keys .*\n {2}proven {6}log /,
    )
    expect(bad.code).toBe(1)
    expect(bad.out).toMatch(/^invalid: the proof does not lead/)
    expect(bad.out).not.toContain('not reached')
  })

  it('exits 2 without the log, or with a checkpoint', async () => {
    const { code, err } = await run([proof, '--event', event, '--key', vkey])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('--event needs --log') })
    const more = await run([proof, '--event', event, '--key', vkey, '--log', origin, '--checkpoint', kept])
    expect(more).toMatchObject({ code: 2, err: expect.stringContaining('--checkpoint is for exports') })
  })
})

describe('service-audit-verify, given a verification report', () => {
  const { report_hash: _hash, signature: _signature, ...body } = exampleVerificationReport
  const text = canonicalJson(body as unknown as JsonValue)
  const signature = signEnvelope(reportPayloadType, Buffer.from(text), signer)
  const report = { ...body, report_hash: documentHash('report', text), signature }
  const options = ['--report', '--key', vkey]

  it.each([
    ['the report', report],
    [
      'the report as it is listed',
      { ...report, live: false, live_policy_binding: { status: 'stale_policy' } },
    ],
    ['its signature alone', signature],
  ])('exits 0 for %s', async (_, file) => {
    const { code, out, err } = await run(['-', ...options], Buffer.from(JSON.stringify(file)))
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(
      /^verified: .*\n\n {2}proven {6}format .*\n {2}proven {6}keys .*\n {2}proven {6}digest .*sha256:/,
    )
    expect(out).toContain('says verified, of policy sha256:')
  })

  it.each([
    ['another result', { ...report, result: 'violated' }, /the report is not the one that was signed/],
    ['another hash', { ...report, report_hash: body.policy_hash }, /report_hash is sha256/],
    ['another kind of payload', signEnvelope('text/plain', Buffer.from(text), signer), /not of type/],
    [
      'a payload that is none',
      signEnvelope(reportPayloadType, Buffer.from('{}'), signer),
      /is no verification/,
    ],
    ['no report', { a: 1 }, /neither a report nor an envelope/],
    ['a member too many', { ...report, more: 1 }, /neither a report nor an envelope/],
  ])('exits 1 for %s', async (_, file, problem) => {
    const { code, out } = await run(['-', ...options], Buffer.from(JSON.stringify(file)))
    expect(code).toBe(1)
    expect(out).toMatch(problem)
  })

  it('exits 3 for one that is not signed, and 2 beside options of other files', async () => {
    const unsigned = Buffer.from(JSON.stringify({ ...report, signature: null }))
    const { code, out } = await run(['-', ...options], unsigned)
    expect({ code, first: out.split('\n')[0] }).toEqual({
      code: 3,
      first: 'incomplete: the report is not signed',
    })
    for (const more of [
      ['--log', origin],
      ['--checkpoint', kept],
      ['--event', good],
    ])
      expect((await run(['-', ...options, ...more])).code).toBe(2)
  })
})

describe('service-audit-verify, where it cannot begin', () => {
  it.each([
    ['no file', ['--key', vkey], /name the file/],
    ['two files', [good, kept, '--key', vkey], /one file at a time/],
    ['no key', [good], /--key is missing/],
    ['an unknown option', [good, '--key', vkey, '--trust-me'], /--trust-me/],
    ['an unknown format', [good, '--key', vkey, '--format', 'xml'], /text or json, not xml/],
    ['a file that is not there', [join(folder, 'none'), '--key', vkey], /cannot read .*ENOENT/],
    ['a folder', [folder, '--key', vkey], /cannot read .*EISDIR/],
    ['a key file that is not there', [good, '--key', join(folder, 'none')], /cannot read .*ENOENT/],
    ['a key file without a key', [good, '--key', write('no.txt', '# none\n')], /there is no key in it/],
    ['a key that is none', [good, '--key', vkey.replace(/\+.{8}\+/, '+00000000+')], /the id is not that/],
    ['an export as the keys', [good, '--key', good], /no answer of \/v1\/audit\/keys/],
    ['a checkpoint that is not there', [good, '--key', vkey, '--checkpoint', 'none'], /cannot read none/],
  ])('exits 2 for %s, says why and how to use it', async (_, args, why) => {
    const { code, out, err } = await run(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(why)
    expect(err).toContain('usage: service-audit-verify')
  })

  it('exits 2 for a key of small order', async () => {
    const { code, err } = await run([good, '--key', write('low.txt', smallOrder())])
    expect(code).toBe(2)
    expect(err).toContain('of small order')
  })

  it('explains itself where that is asked', async () => {
    const { code, out } = await run(['--help'])
    expect({ code, first: out.split(' ')[0] }).toEqual({ code: 0, first: 'usage:' })
  })
})

/** A vkey whose key is the point of order 1. */
function smallOrder(): string {
  const typed = Buffer.concat([Buffer.of(1, 1), Buffer.alloc(31)]).toString('base64')
  return `low+00000000+${typed}`
}

function proofFile(
  { entries, checkpoint }: { entries: { index: number; proof: string[] }[]; checkpoint: string },
  place: number,
): string {
  const { index = 0, proof = [] } = entries[place] ?? {}
  const hashes = proof.map(hash => Buffer.from(hash, 'base64'))
  return formatTlogProof({ extra: null, index, proof: hashes, checkpoint })
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function run(args: string[], input?: Buffer): Promise<{ code: number | null; out: string; err: string }> {
  const program = join(repositoryRoot, 'dist/api/bin/service-audit-verify.js')
  const child = spawn(process.execPath, [program, ...args])
  const said = { out: '', err: '' }
  child.stdout.on('data', chunk => {
    said.out += chunk
  })
  child.stderr.on('data', chunk => {
    said.err += chunk
  })
  child.stdin.end(input)
  return new Promise(resolve => child.once('close', code => resolve({ code, ...said })))
}
