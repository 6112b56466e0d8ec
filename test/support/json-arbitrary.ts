import fc from 'fast-check'
import type { JsonValue } from '../../shared/contract/json.ts'

const text = fc.string({ unit: 'binary', maxLength: 12 }).filter(value => !value.includes('\0'))
const name = fc
  .oneof(text, fc.constantFrom('a', 'b', '10', '9', '', 'constructor', 'é', 'z\u0301', '😀', '\ufb33'))
  .filter(value => value !== '__proto__')
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true, min: -(2 ** 53) + 1, max: 2 ** 53 - 1 })
  .map(value => (value === 0 ? 0 : value))

/** Values that the strict reader can give back: any text but U+0000, any number that survives. */
export const readableJson: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), number, fc.integer(), text),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(name, tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value

const writtenLeaf = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'null',
      'true',
      '0',
      '-0',
      '1.50',
      '1E3',
      '-12.25e-2',
      '""',
      '"ü\\u00fc\\\\u0000"',
      '"\\ud83d\\ude00"',
    ),
  },
  { weight: 4, arbitrary: readableJson.map(value => JSON.stringify(value)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('1e400', '9007199254740993', '-1e16', '1e-999', '"\\ud800"', '"\\u0000"'),
  },
)
const writtenName = fc.oneof(
  { weight: 20, arbitrary: name.map(value => JSON.stringify(value)) },
  { weight: 4, arbitrary: fc.constantFrom('"\\u0061"', '"b"', '"\\u00e9"') },
  { weight: 1, arbitrary: fc.constantFrom('"__proto__"', '"\\u005f_proto__"', '"\\udfff"') },
)
const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r\n')

/** Texts that are JSON, many of which lose something when `JSON.parse` reads them. */
export const writtenJson: fc.Arbitrary<string> = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    writtenLeaf,
    fc
      .tuple(space, fc.array(tie('value'), { maxLength: 4 }))
      .map(([gap, items]) => `[${gap}${items.join(`${gap},${gap}`)}]${gap}`),
    fc
      .tuple(space, fc.array(fc.tuple(writtenName, tie('value')), { maxLength: 4 }))
      .map(
        ([gap, members]) =>
          `{${gap}${members.map(([key, value]) => `${key}${gap}:${gap}${value}`).join(`,${gap}`)}${gap}}`,
      ),
  ),
})).value
