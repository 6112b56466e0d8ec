import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Grounds, verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import { buildExport, redigested, trusted } from '../../support/audit/export-builder.ts'

const { exported, bytes, checkpointAt } = buildExport({ fromSize: 5 })
const grounds: Grounds = { trusted, olderCheckpoint: checkpointAt(5) }
/** Each byte loses one bit, another from byte to byte, and then all of them. */
const masksAt = (at: number) => [1 << (at % 8), 255]

describe('a flipped byte', () => {
  it('is noticed, whichever it is', { timeout: 120_000 }, () => {
    const { admitted, flips } = flipAll(bytes, () => true)
    expect(admitted).toEqual([])
    expect(flips).toBe(bytes.length * 2)
  })

  it('is noticed where it was space between the tokens of a file', { timeout: 120_000 }, () => {
    const pretty = Buffer.from(JSON.stringify(exported, null, 2))
    const { admitted, flips } = flipAll(pretty, byte => byte === 0x20 || byte === 0x0a)
    expect(admitted).toEqual([])
    expect(flips).toBeGreaterThan(1_000)
  })
})

describe('random edits', () => {
  it('of the bytes never verify, unless they change space alone', () => {
    const edit = fc.record({
      at: fc.nat(bytes.length),
      cut: fc.nat(20),
      put: fc.oneof(
        fc.uint8Array({ maxLength: 20 }),
        fc.string().map(text => Buffer.from(text)),
      ),
    })
    fc.assert(
      fc.property(edit, ({ at, cut, put }) => {
        const edited = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)])
        fc.pre(withoutSpace(edited) !== withoutSpace(bytes))
        expect(verifyExport(edited, grounds).outcome).toBe('invalid')
      }),
      { numRuns: 2_000 },
    )
  })

  it('of a value never verify, even where the digest is made anew', () => {
    const places = leavesOf(exported as unknown as JsonValue).filter(([first]) => !isUnsigned(first))
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant({}))
    const edit = fc.record({ path: fc.constantFrom(...places), value })
    fc.assert(
      fc.property(edit, ({ path, value }) => {
        const edited = replaced(exported as unknown as JsonValue, path, value) as unknown as AuditExport
        fc.pre(JSON.stringify(edited) !== JSON.stringify(exported))
        expect(verifyExport(redigested(edited), grounds).outcome).not.toMatch(/^verified/)
      }),
      { numRuns: 2_000 },
    )
    expect(places.length).toBeGreaterThan(80)
  })

  it('of one character of a text never verify, even where the digest is made anew', () => {
    const places = leavesOf(exported as unknown as JsonValue).filter(
      path => !isUnsigned(path[0]) && typeof valueAt(exported as unknown as JsonValue, path) === 'string',
    )
    const edit = fc.record({
      path: fc.constantFrom(...places),
      at: fc.nat(),
      put: fc.string({ maxLength: 2, unit: 'binary' }),
    })
    fc.assert(
      fc.property(edit, ({ path, at, put }) => {
        const text = valueAt(exported as unknown as JsonValue, path) as string
        const characters = [...text]
        characters[at % characters.length] = put
        const changed = characters.join('')
        fc.pre(changed !== text)
        const edited = replaced(exported as unknown as JsonValue, path, changed) as unknown as AuditExport
        expect(verifyExport(redigested(edited), grounds).outcome).toBe('invalid')
      }),
      { numRuns: 2_000 },
    )
  })
})

function flipAll(file: Buffer, isFlipped: (byte: number) => boolean): { admitted: string[]; flips: number } {
  expect(verifyExport(file, grounds).outcome).toBe('verified')
  const admitted: string[] = []
  let flips = 0
  for (const [at, byte] of file.entries()) {
    for (const mask of isFlipped(byte) ? masksAt(at) : []) {
      file[at] = byte ^ mask
      flips += 1
      if (verifyExport(file, grounds).outcome !== 'invalid') admitted.push(`byte ${at} ^ ${mask}`)
    }
    file[at] = byte
  }
  return { admitted, flips }
}

type Path = (string | number)[]

/** What no signature covers: when the file was made, keys that nobody trusts, and the digest itself. */
function isUnsigned(member: string | number | undefined): boolean {
  return ['exported_at', 'keys', 'digest'].includes(String(member))
}

function leavesOf(value: JsonValue, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, inner]) =>
    leavesOf(inner, [...path, Array.isArray(value) ? Number(name) : name]),
  )
}

function valueAt(value: JsonValue, path: Path): JsonValue {
  return path.reduce<JsonValue>((at, step) => (at as { [name: string]: JsonValue })[step] ?? null, value)
}

function replaced(value: JsonValue, [step, ...rest]: Path, by: JsonValue): JsonValue {
  if (step === undefined) return by
  const copy = structuredClone(value) as { [name: string]: JsonValue }
  copy[step] = replaced(copy[step] ?? null, rest, by)
  return copy
}

/** Space inside of a string counts. */
function withoutSpace(file: Buffer): string {
  return file.toString('latin1').replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, '$1')
}
