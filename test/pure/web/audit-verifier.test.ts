import { type Context, createContext, runInContext } from 'node:vm'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundleWeb } from '../../../api/bin/bundle-web.ts'
import { readTrustedKeys, verifyExport } from '../../../api/web/audit-verifier.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import {
  auditKey,
  buildExport,
  origin,
  redigested,
  signer,
  vkey,
  vkeyOf,
} from '../../support/audit/export-builder.ts'
import { statement, thief } from '../../support/audit/export-changes.ts'
import { entry, heldAndExecuted, inPlaces } from '../../support/audit/trace-entries.ts'

interface Asked {
  keys?: string
  olderCheckpoint?: string
  log?: string
}

const { exported, bytes, checkpointAt, size } = buildExport({ fromSize: 5 })
const asked: Asked = { keys: vkey, olderCheckpoint: checkpointAt(5), log: origin }
let context: Context

/** Has what ECMAScript has, and of a browser the two that turn text into bytes; no text becomes code, as on a strict page. */
beforeAll(async () => {
  context = createContext({ TextDecoder, TextEncoder }, { codeGeneration: { strings: false, wasm: false } })
  runInContext(await bundleWeb('api/web/audit-verifier', 'verifier'), context)
  runInContext(verifying, context)
})

const verifying = `function verify(list, { keys, ...grounds }) {
  const trusted = verifier.readTrustedKeys(keys)
  if (!trusted.ok) return JSON.stringify(trusted)
  return JSON.stringify(verifier.verifyExport(new Uint8Array(list), { ...grounds, trusted: trusted.value }))
}`

describe('the module for browsers', () => {
  it('runs where nothing of Node is', () => {
    const names = ['Buffer', 'process', 'require', 'global', 'setTimeout', 'fetch', 'crypto', 'btoa']
    const types = runInContext(`[${names.map(name => `typeof ${name}`)}]`, context)
    expect([...types]).toEqual(names.map(() => 'undefined'))
    expect(JSON.parse(agreed(bytes))).toMatchObject({ outcome: 'verified', problem: null, notes: [] })
  })

  it('imports nothing as a module, and exports the verifier', async () => {
    const text = await bundleWeb('api/web/audit-verifier')
    expect(text).not.toMatch(/\b(import|require)\s*\(?\s*["'{*]/)
    expect(text).toMatch(/export\{[\w$]+ as readTrustedKeys,[\w$]+ as verifyExport\};/)
    expect(text.length).toBeLessThan(320_000)
  })
})

describe('it says what the verifier of the service says', () => {
  const { proposed, verdict, attempted } = entry
  const everything = heldAndExecuted().map((_, place) => place)
  const other = buildExport({ tenantId: 'other', others: 'fork', fromSize: 5 })
  const retired = { ...auditKey(signer), status: 'retired', last_log_size: 3 }
  const retiredElsewhere = { keys: JSON.stringify({ log_id: 'log_another', keys: [retired] }) }

  it.each<[string, Uint8Array, RegExp, Asked?]>([
    ['verified', Buffer.from(JSON.stringify(exported, null, '\t')), /"outcome":"verified"/],
    ['verified with keys of the service', bytes, /"outcome":"verified"/, { keys: keyList(signer) }],
    ['of a key that has ended, with keys of another log', bytes, /"outcome":"incomplete"/, retiredElsewhere],
    ['verified, erased', erasedExport([...everything]), /"erased":true/, { keys: vkey }],
    [
      'verified_open',
      of([proposed(), verdict('allow'), attempted(1)]),
      /"outcome":"verified_open"/,
      { keys: vkey },
    ],
    ['incomplete', redigested({ ...exported, log: { pending: true } }), /"outcome":"incomplete"/],
    ['legacy', legacy(), /"outcome":"legacy"/],
    ['not dated in order', dated('02', '01'), /is dated/, { keys: vkey }],
    ['of a fork', other.bytes, /"outcome":"invalid"/],
    ['of another log', bytes, /"outcome":"invalid"/, { ...asked, log: 'gate.example.org/log/other' }],
    [
      'against a later checkpoint',
      bytes,
      /"outcome":"incomplete"/,
      { ...asked, olderCheckpoint: checkpointAt(size - 1) },
    ],
    ['against another kind of note', bytes, /"outcome":"invalid"/, { ...asked, olderCheckpoint: statement }],
    ['of a key nobody trusts', bytes, /no trusted key/, { keys: vkeyOf(thief) }],
    ['without a key', bytes, /no key in it/, { keys: '# none' }],
    ['with a key that is none', bytes, /no verifier key/, { keys: vkey.slice(0, -2) }],
    ['with a list that is none', bytes, /no answer/, { keys: '{}' }],
  ])('of an export that is %s', (_, file, expected, more = asked) => {
    expect(agreed(file, more)).toMatch(expected)
  })

  it('of flipped bytes', { timeout: 120_000 }, () => {
    const answers = flips(59, [1, 32, 255]).map(file => agreed(file))
    expect(answers.length).toBeGreaterThan(300)
    expect(answers.filter(answer => !answer.startsWith('{"outcome":"invalid"'))).toEqual([])
  })

  it('of values that were changed, under a new digest', { timeout: 120_000 }, () => {
    const values = ['', '\ufeff', 1e21, null, []]
    const answers = leavesOf(exported).flatMap(path =>
      values.map(value => agreed(redigested(changed(path, () => value)))),
    )
    expect(new Set(answers).size).toBeGreaterThan(100)
  })

  it('of texts of which a character was changed, under a new digest', { timeout: 120_000 }, () => {
    const answers = leavesOf(exported).flatMap(path =>
      ['', '\u0000', 'A', '\n'].map(put => agreed(redigested(changed(path, old => middle(old, put))))),
    )
    expect(new Set(answers).size).toBeGreaterThan(50)
  })

  it('of edits at random', () => {
    const put = fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc.string({ unit: 'binary' }).map(text => Buffer.from(text)),
    )
    fc.assert(
      fc.property(fc.nat(bytes.length), fc.nat(20), put, (at, cut, more) => {
        agreed(Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at + cut)]))
      }),
      { numRuns: 300 },
    )
  })

  it('of events that are missing, twice or in another order', () => {
    const { events } = exported
    for (const list of [
      [],
      events.slice(1),
      events.slice(0, -1),
      [...events].reverse(),
      events.flatMap(event => [event, event]),
    ])
      expect(agreed(redigested({ ...exported, events: list }))).toContain('"outcome":"invalid"')
  })

  it.each([
    ['nothing', []],
    ['a byte alone', [0xff]],
    ['a byte-order mark', [0xef, 0xbb, 0xbf, 0x7b]],
    ['half of a pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['an overlong NUL', [0x22, 0xc0, 0x80, 0x22]],
    ['a character that is cut', [0x22, 0xf0, 0x9f]],
    ['a character beyond Unicode', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['a cut character before U+FFFD', [0x22, 0xef, 0xbf, 0xef, 0xbf, 0xbd, 0x22]],
  ])('of %s', (_, raw) => {
    expect(agreed(Buffer.from(raw))).toContain('not strict JSON')
  })
})

/** The answer of the browser's verifier as JSON, after it was found to be that of the service's. */
function agreed(file: Uint8Array, more: Asked = asked): string {
  const found: string = context.verify(file, more)
  expect(found).toBe(native(file, more))
  return found
}

function native(file: Uint8Array, { keys = '', ...grounds }: Asked): string {
  const trusted = readTrustedKeys(keys)
  return JSON.stringify(trusted.ok ? verifyExport(file, { ...grounds, trusted: trusted.value }) : trusted)
}

function of(entries: Parameters<typeof inPlaces>[0]): Buffer {
  return buildExport({ entries: inPlaces(entries) }).bytes
}

function erasedExport(without: number[]): Buffer {
  return buildExport({ entries: inPlaces([...heldAndExecuted(), entry.erased()]), without }).bytes
}

function legacy(): Buffer {
  const { consistency: _, ...rest } = exported
  const record = { ...rest, integrity_version: 'legacy-v0' as const, events: [], statement: null }
  return redigested({ ...record, log: { pending: true } })
}

function dated(...seconds: string[]): Buffer {
  return buildExport({ at: seconds.map(second => `2026-11-21T08:00:${second}.000Z`) }).bytes
}

function keyList(by: typeof signer): string {
  return JSON.stringify({ log_id: null, keys: [auditKey(by)] })
}

function flips(step: number, masks: readonly number[]): Buffer[] {
  const places = Array.from({ length: Math.floor(bytes.length / step) }, (_, n) => n * step)
  return places.flatMap(at =>
    masks.map(mask => {
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ mask
      return flipped
    }),
  )
}

type Path = string[]

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]))
}

function changed(path: Path, change: (old: unknown) => unknown): AuditExport {
  const copy = structuredClone(exported)
  const last = path.at(-1) ?? ''
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], copy) as Record<string, unknown>
  holder[last] = change(holder[last])
  return copy
}

function middle(old: unknown, put: string): unknown {
  if (typeof old !== 'string') return old
  const half = Math.floor(old.length / 2)
  return old.slice(0, half) + put + old.slice(half + 1)
}
