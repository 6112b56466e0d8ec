import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineAt, lineOfPath, lineSpan } from '../../../api/web/lib/policy/line-of-path.ts'
import { pathText } from '../../../shared/contract/base/errors.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'

const policy = {
  allowed_systems: ['payments', 'mail'],
  allowed_operations: { payments: ['refund', 'refund.partial'] },
  parameter_constraints: {
    payments: { refund: { amount: { min: 5, max: 1 }, 'order.id': { equals: 'a "quoted": [text' } } },
    'payments.refund': { amount: { total: { max: 1 } } },
  },
}
const text = JSON.stringify(policy, null, 2)

it.each([
  ['allowed_systems[1]', '"mail"'],
  ['allowed_operations.payments[1]', '"refund.partial"'],
  ['parameter_constraints.payments.refund.amount.max', '"max": 1'],
  ['parameter_constraints.payments.refund.order.id', '"order.id": {'],
  ['parameter_constraints.payments.refund.order.id.equals', '"equals": "a \\"quoted\\": [text"'],
])('finds the line of %s', (path, line) => {
  expect(lineText(lineOfPath(text, path))).toBe(line)
})

it('takes the reading of a dotted path that leads furthest', () => {
  const found = lineOfPath(text, 'parameter_constraints.payments.refund.amount.total.max')
  expect(found).toBe(text.split('\n').findLastIndex(line => line.includes('"max": 1')) + 1)
})

it('answers with the nearest place around one that is not there', () => {
  expect(lineText(lineOfPath(text, 'allowed_operations.mail[3]'))).toBe('"allowed_operations": {')
  expect(lineOfPath(text, 'review_route')).toBe(1)
  expect(lineOfPath(text, '')).toBe(1)
})

it('knows that names are cut to 100 characters in paths', () => {
  const long = 'n'.repeat(150)
  const document = JSON.stringify({ first: 1, [long]: { inner: [true, false] } }, null, 2)
  expect(lineOfPath(document, `${long.slice(0, 100)}.inner[1]`)).toBe(6)
})

it('answers null for what is not JSON', () => {
  expect(lineOfPath('{"a": }', 'a')).toBeNull()
})

it('finds every place of any document that is written one place a line', () => {
  const name = fc.stringMatching(/^[a-z"\\:,{}[\] ]{1,6}$/)
  const { tree } = fc.letrec<{ tree: JsonValue }>(tie => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 3 }),
    ),
  }))
  fc.assert(
    fc.property(tree, document => {
      const written = JSON.stringify(document, null, 2)
      for (const { path, line } of placesOf(document)) {
        if (/[.[]/.test(path.join(''))) continue
        expect(lineOfPath(written, pathText(path))).toBe(line)
      }
    }),
    { numRuns: 300 },
  )
})

it('selects a line', () => {
  expect(lineSpan('ab\ncd\n', 2)).toEqual([3, 5])
  expect(lineSpan('ab\ncd', 2)).toEqual([3, 5])
  expect(lineSpan('ab', 9)).toEqual([0, 2])
  expect(lineAt('ab\ncd', 3)).toBe(2)
})

function lineText(line: number | null): string | undefined {
  return text.split('\n')[(line ?? 0) - 1]?.trim().replace(/,$/, '')
}

interface Place {
  path: (string | number)[]
  line: number
}

/** Places in the order in which `JSON.stringify` writes them, with their lines. */
function placesOf(root: JsonValue): Place[] {
  const places: Place[] = []
  let line = 1
  const write = (value: JsonValue, path: (string | number)[]): void => {
    places.push({ path, line })
    if (value === null || typeof value !== 'object' || Object.keys(value).length === 0) return
    for (const [step, inner] of Object.entries(value)) {
      line += 1
      write(inner, [...path, Array.isArray(value) ? Number(step) : step])
    }
    line += 1
  }
  write(root, [])
  return places
}
