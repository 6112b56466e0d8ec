import type { StrictJsonCode } from '../../shared/canon/strict-reader.ts'

export interface RefusedText {
  text: string | Uint8Array
  code: StrictJsonCode
  path?: string
  offset?: number
}

/** Texts that the strict reader must refuse. */
export const refusedTexts: RefusedText[] = [
  // Not UTF-8
  { text: Uint8Array.of(0x22, 0xff, 0x22), code: 'invalid_utf8', offset: 1 },
  { text: Uint8Array.of(0x22, 0xc0, 0xaf, 0x22), code: 'invalid_utf8', offset: 1 },
  { text: Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), code: 'invalid_utf8', offset: 1 },
  { text: Uint8Array.of(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22), code: 'invalid_utf8', offset: 1 },
  { text: Uint8Array.of(0x22, 0x61, 0xef, 0xbf), code: 'invalid_utf8', offset: 4 },
  { text: Uint8Array.of(0xff, 0xfe, 0x7b, 0x00), code: 'invalid_utf8', offset: 0 },
  { text: Uint8Array.of(0x7b, 0x00, 0x7d, 0x00), code: 'invalid_json', offset: 1 },

  // Byte-order mark
  { text: '\ufeff{}', code: 'byte_order_mark', offset: 0 },
  { text: '\ufeff', code: 'byte_order_mark', offset: 0 },
  { text: '{}\ufeff', code: 'invalid_json', offset: 2 },

  // Not JSON: nothing, rests, words
  { text: '', code: 'invalid_json', offset: 0 },
  { text: ' \n', code: 'invalid_json', offset: 2 },
  { text: '{} {}', code: 'invalid_json', offset: 3 },
  { text: '1 2', code: 'invalid_json', offset: 2 },
  { text: '{}\0', code: 'invalid_json', offset: 2 },
  { text: 'nul', code: 'invalid_json' },
  { text: 'True', code: 'invalid_json' },
  { text: 'truefalse', code: 'invalid_json', offset: 4 },
  { text: 'undefined', code: 'invalid_json' },
  { text: 'NaN', code: 'invalid_json' },
  { text: '[Infinity]', code: 'invalid_json' },
  { text: '\u00a01', code: 'invalid_json' },
  { text: '\u20281', code: 'invalid_json' },
  { text: '/* a */ 1', code: 'invalid_json' },
  { text: '1 // a', code: 'invalid_json' },

  // Not JSON: objects and arrays
  { text: '{', code: 'invalid_json', offset: 1 },
  { text: '[', code: 'invalid_json', offset: 1 },
  { text: ']', code: 'invalid_json', offset: 0 },
  { text: '{]', code: 'invalid_json' },
  { text: '[}', code: 'invalid_json' },
  { text: '[1}', code: 'invalid_json' },
  { text: '{"a":1]', code: 'invalid_json' },
  { text: '[1,]', code: 'invalid_json', path: '[1]', offset: 3 },
  { text: '[,1]', code: 'invalid_json' },
  { text: '[1,,2]', code: 'invalid_json' },
  { text: '[1 2]', code: 'invalid_json', offset: 3 },
  { text: '{"a":1,}', code: 'invalid_json', offset: 7 },
  { text: '{,}', code: 'invalid_json' },
  { text: '{"a" 1}', code: 'invalid_json', offset: 5 },
  { text: '{"a":}', code: 'invalid_json', path: 'a', offset: 5 },
  { text: '{"a"}', code: 'invalid_json' },
  { text: '{"a":1 "b":2}', code: 'invalid_json' },
  { text: '{a:1}', code: 'invalid_json' },
  { text: "{'a':1}", code: 'invalid_json' },
  { text: '{1:1}', code: 'invalid_json' },
  { text: '{"a":1,"b"', code: 'invalid_json' },
  { text: '[[]', code: 'invalid_json' },
  { text: '[]]', code: 'invalid_json' },

  // Not JSON: strings
  { text: '"a', code: 'invalid_json', offset: 2 },
  { text: '"a\\', code: 'invalid_json' },
  { text: '"a\\"', code: 'invalid_json' },
  { text: '"\t"', code: 'invalid_json', offset: 1 },
  { text: '"a\nb"', code: 'invalid_json', offset: 2 },
  { text: '"\u001f"', code: 'invalid_json', offset: 1 },
  { text: '"\\t\u001f"', code: 'invalid_json' },
  { text: '"\0"', code: 'invalid_json', offset: 1 },
  { text: '"\\x41"', code: 'invalid_json' },
  { text: '"\\\'"', code: 'invalid_json' },
  { text: '"\\u12"', code: 'invalid_json' },
  { text: '"\\u12g4"', code: 'invalid_json' },
  { text: '"\\U0041"', code: 'invalid_json' },
  { text: '"\\\n"', code: 'invalid_json' },

  // Not JSON: numbers
  { text: '01', code: 'invalid_json', offset: 1 },
  { text: '-01', code: 'invalid_json' },
  { text: '+1', code: 'invalid_json' },
  { text: '.5', code: 'invalid_json' },
  { text: '1.', code: 'invalid_json' },
  { text: '-', code: 'invalid_json' },
  { text: '--1', code: 'invalid_json' },
  { text: '1e', code: 'invalid_json' },
  { text: '1e+', code: 'invalid_json' },
  { text: '1.e1', code: 'invalid_json' },
  { text: '0x10', code: 'invalid_json' },
  { text: '1_000', code: 'invalid_json' },
  { text: '١', code: 'invalid_json' },

  // Names that stand twice, at any depth and however they are written
  { text: '{"a":1,"a":1}', code: 'duplicate_key', path: 'a', offset: 7 },
  { text: '{"a":1,"b":2,"\\u0061":3}', code: 'duplicate_key', path: 'a', offset: 13 },
  { text: '{"":1,"":2}', code: 'duplicate_key' },
  { text: '{"é":1,"\\u00e9":2}', code: 'duplicate_key', path: 'é', offset: 8 },
  { text: '{"😀":1,"\\ud83d\\ude00":2}', code: 'duplicate_key', path: '😀' },
  { text: '{"/":1,"\\/":2}', code: 'duplicate_key', path: '/' },
  { text: '{"1":1,"1":2}', code: 'duplicate_key', path: '1' },
  { text: '{"toString":1,"toString":2}', code: 'duplicate_key', path: 'toString' },
  { text: '[{},{"x":[0,{"a":1,"a":2}]}]', code: 'duplicate_key', path: '[1].x[1].a', offset: 19 },
  {
    text: '{"action":{"parameters":{"amount":1,"amount":9}}}',
    code: 'duplicate_key',
    path: 'action.parameters.amount',
  },

  // A name that could become a prototype
  { text: '{"__proto__":{"admin":true}}', code: 'forbidden_key', path: '__proto__', offset: 1 },
  { text: '{"a":{"\\u005f_proto__":1}}', code: 'forbidden_key', path: 'a.__proto__' },
  { text: '[[{"__proto__":null}]]', code: 'forbidden_key', path: '[0][0].__proto__' },

  // Numbers that do not survive
  { text: '9007199254740992', code: 'number_out_of_range' },
  { text: '-9007199254740992', code: 'number_out_of_range' },
  { text: '9007199254740993', code: 'number_out_of_range' },
  { text: '1e16', code: 'number_out_of_range' },
  { text: '9007199254740992.0', code: 'number_out_of_range' },
  { text: '1e400', code: 'number_out_of_range' },
  { text: '-1e400', code: 'number_out_of_range' },
  { text: '1e-400', code: 'number_out_of_range' },
  { text: '-0.0000e-1,', code: 'invalid_json' },
  { text: '0.001e-330', code: 'number_out_of_range' },
  { text: '9'.repeat(400), code: 'number_out_of_range' },
  {
    text: '{"items":[0,1,2,{"price":12345678901234567890}]}',
    code: 'number_out_of_range',
    path: 'items[3].price',
    offset: 25,
  },

  // Strings that are not text
  { text: '"\\ud800"', code: 'lone_surrogate', offset: 0 },
  { text: '"\\udc00"', code: 'lone_surrogate' },
  { text: '"\\ud83dx\\ude00"', code: 'lone_surrogate' },
  { text: '"\\ude00\\ud83d"', code: 'lone_surrogate' },
  { text: '"\\ud83d\\\\ude00"', code: 'lone_surrogate' },
  { text: '{"ü":"\\ud83d"}', code: 'lone_surrogate', path: 'ü', offset: 6 },
  { text: '{"a":{"\\ud800":1}}', code: 'lone_surrogate', path: 'a', offset: 6 },
  { text: '"\\u0000"', code: 'nul_character', offset: 0 },
  { text: '["a","b\\u0000c"]', code: 'nul_character', path: '[1]' },
  { text: '{"a":1,"\\u0000":1}', code: 'nul_character', path: '', offset: 7 },

  // Too deep
  { text: `${'['.repeat(65)}${']'.repeat(65)}`, code: 'too_deep', offset: 64 },
  { text: '['.repeat(200_000), code: 'too_deep', offset: 64 },
  { text: '{"a":'.repeat(200_000), code: 'too_deep', offset: 5 * 64 },
  { text: '[{"a":'.repeat(100_000), code: 'too_deep', offset: 6 * 32 },
]

/** Texts that the strict reader must admit, with the text that `JSON.stringify` makes of the value. */
export const admittedTexts: [text: string, printed: string][] = [
  ['null', 'null'],
  [' \t\r\n true \t\r\n', 'true'],
  ['{}', '{}'],
  ['[ ]', '[]'],
  ['{ "a" : [ 1 , { } , [ ] ] , "b" : null }', '{"a":[1,{},[]],"b":null}'],
  ['""', '""'],
  ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0001"', '"\\"\\\\/\\b\\f\\n\\r\\t\\u0001"'],
  ['"\\\\"', '"\\\\"'],
  ['"\\\\u0000 \\\\ud800"', '"\\\\u0000 \\\\ud800"'],
  ['"\\ud83d\\ude00 😀 \u007f \u2028 \ufffd \uffff"', '"😀 😀 \u007f \u2028 \ufffd \uffff"'],
  ['{"":{"":1}}', '{"":{"":1}}'],
  [
    '{"constructor":1,"toString":2,"prototype":3,"hasOwnProperty":4}',
    '{"constructor":1,"toString":2,"prototype":3,"hasOwnProperty":4}',
  ],
  ['{"é":1,"e\u0301":2}', '{"é":1,"e\u0301":2}'],
  ['{"a":{"a":{"a":1}},"b":{"a":1}}', '{"a":{"a":{"a":1}},"b":{"a":1}}'],
  ['0', '0'],
  ['-0', '0'],
  ['-0.0e5', '0'],
  ['0e999', '0'],
  ['1.0', '1'],
  ['1E2', '100'],
  ['12e-1', '1.2'],
  ['9007199254740991', '9007199254740991'],
  ['-9007199254740991', '-9007199254740991'],
  ['9007199254740991e0', '9007199254740991'],
  ['0.1', '0.1'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['3.141592653589793238462643383279', '3.141592653589793'],
  ['5e-324', '5e-324'],
  [`${'['.repeat(64)}${']'.repeat(64)}`, `${'['.repeat(64)}${']'.repeat(64)}`],
  [`${'[{"a":'.repeat(32)}1${'}]'.repeat(32)}`, `${'[{"a":'.repeat(32)}1${'}]'.repeat(32)}`],
]
