import { signNote } from '../../../shared/audit/note/signed-note.ts'
import type { TrustedKey } from '../../../shared/audit/note/trusted-keys.ts'
import { exportBytesMax } from '../../../shared/audit/verify/read-export.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import { describeRefusals } from '../../support/audit/describe-refusals.ts'
import {
  auditKey,
  buildExport,
  fileOf,
  redigested,
  signer,
  trusted,
} from '../../support/audit/export-builder.ts'
import {
  aboutIt,
  checkpoint,
  event,
  exported,
  note,
  proof,
  type Refused,
  salt,
  signatureLine,
  signed,
  statement,
  textOf,
  thief,
  without,
  zeros,
} from '../../support/audit/export-changes.ts'

const text = fileOf(exported).toString()

const notJson: Refused[] = [
  ['an empty file', Buffer.alloc(0), 'format', /not strict JSON/],
  ['something else than JSON', Buffer.from('PK\u0003\u0004'), 'format', /not strict JSON/],
  ['a list', Buffer.from('[]'), 'format', /no audit export/],
  ['a truncated file', Buffer.from(text.slice(0, -1)), 'format', /not strict JSON: .*missing/],
  ['a file and more', Buffer.from(`${text}{}`), 'format', /something follows the value/],
  ['a byte-order mark', Buffer.from(`\ufeff${text}`), 'format', /byte-order mark/],
  ['bytes that are not UTF-8', Buffer.from(text, 'latin1').fill(0xff, 40, 41), 'format', /not valid UTF-8/],
  ['a name twice', file(text.replace('{', '{"digest":"",')), 'format', /stands twice/],
  ['a name twice after unescaping', file(text.replace('{', '{"\\u0064igest":"",')), 'format', /stands twice/],
  ['a huge file', Buffer.alloc(exportBytesMax + 1, ' '), 'format', /larger than 67108864 bytes/],
  [
    'a file of many things that are no events',
    file(text.replace('"events":[', `"events":[${'{},'.repeat(2_000_000)}`)),
    'format',
    /events has more than 10000 items/,
  ],
  [
    'another spelling of a string',
    file(text.replace('"demo"', '"d\\u0065mo"')),
    'format',
    /spells otherwise/,
  ],
  ['another spelling of an escape', file(text.replace('\\u001f', '\\u001F')), 'format', /spells otherwise/],
  ['another spelling of a number', file(text.replace('1e-7', '1E-7')), 'format', /spells otherwise/],
  [
    'a whole number with a fraction',
    file(text.replace('{"index":3,', '{"index":3.0,')),
    'format',
    /spells otherwise/,
  ],
  ['a changed value', file(text.replace('"demo"', '"demp"')), 'events', /of another tenant/],
  ['another time of export', redated(text), 'digest', /damaged/],
]

const form: Refused[] = [
  ['an unknown member', redigested({ ...exported, more: 1 } as AuditExport), 'format', /more is not a known/],
  ['a missing member', without('exported_at'), 'format', /exported_at/],
  ['no event', redigested({ ...exported, events: [] }), 'format', /no event/],
  [
    'an event that is not canonical',
    event(1, one => one.replace(',', ', ')),
    'format',
    /event 1: .*canonical/,
  ],
  ['an event that is not JSON', event(1, one => one.slice(1)), 'format', /event 1: .*not strict JSON/],
  ['an unknown v', event(2, one => one.replace('"v":1', '"v":2')), 'format', /event 2: v/],
  ['an unknown kind', event(2, one => one.replace('"approval"', '"blessing"')), 'format', /event 2: kind/],
  ['an unknown member of an event', event(2, one => one.replace('{', '{"a":1,')), 'format', /event 2: a/],
  ['an event without v', event(2, one => one.replace(',"v":1', '')), 'format', /event 2: v/],
  ['a hash of 31 bytes', proof(0, [Buffer.alloc(31).toString('base64')]), 'format', /log/],
  ['a hash in other base64', proof(0, [`${zeros.slice(0, -2)}B=`]), 'format', /canonical base64/],
  ['a salt in other base64', salt(`${zeros.slice(0, -2)}B=`), 'payloads', /the salt is not 32 bytes/],
  ['a salt of 31 bytes', salt(Buffer.alloc(31).toString('base64')), 'payloads', /the salt is not 32 bytes/],
  [
    'keys that are none',
    redigested({ ...exported, keys: [{ ...auditKey(signer), vkey: 'x' }] }),
    'format',
    /keys\[0\]/,
  ],
]

const notes: Refused[] = [
  ['a control character', note(statement.replace('/action/', '/act\tion/')), 'keys', /control character/],
  ['no final newline', note(statement.slice(0, -1)), 'keys', /does not end with a newline/],
  ['no blank line', note(statement.replace('\n\n', '\n')), 'keys', /no blank line/],
  ['a size with a sign', signed(aboutIt, '+7'), 'keys', /size is not a plain number/],
  ['a size with a leading zero', signed(aboutIt, '07'), 'keys', /size is not a plain number/],
  ['a size of 2^63', signed(aboutIt, String(2n ** 63n)), 'keys', /size is not a plain number/],
  ['an extension line', signed(aboutIt, '7', `${zeros}\nmore`), 'keys', /extension lines/],
  [
    'more than 100 signatures',
    note(statement + signatureLine(statement).repeat(100)),
    'keys',
    /more than 100/,
  ],
  ['size 0 with another root', signed(aboutIt, '0'), 'keys', /size is 0, and its root not/],
  ['a root of 31 bytes', signed(aboutIt, '7', Buffer.alloc(31).toString('base64')), 'keys', /root is not 32/],
]

const limited = (first: number, last: number): TrustedKey[] =>
  trusted.map(key => ({ ...key, sizes: { first, last } }))

const keys: Refused[] = [
  [
    'no signature by a trusted key',
    note(signNote(textOf(statement), thief)),
    'keys',
    /no trusted key signed/,
  ],
  ['another key under the trusted name', buildExport({ signer: thief }).bytes, 'keys', /no trusted key/],
  [
    'a failing signature by a trusted key',
    note(statement.replace(signatureLine(statement), signatureLine(checkpoint))),
    'keys',
    /the statement: the signature of gate.example.org\+[0-9a-f]{8} is not one over this text/,
  ],
  ['the same beside a good one', note(statement + signatureLine(checkpoint)), 'keys', /is not one over this/],
  [
    'a key that is older',
    redigested(exported),
    'keys',
    /of size 1 to 23, and not of 24/,
    { trusted: limited(1, 23) },
  ],
  ['a key that is newer', redigested(exported), 'keys', /of size 25 to 99/, { trusted: limited(25, 99) }],
  [
    'a signed record that is marked unsigned',
    redigested({ ...exported, integrity_version: 'canonical-unsigned-v1' }),
    'keys',
    /marked unsigned/,
  ],
]

describeRefusals({
  'not strict JSON, or not what was written': notJson,
  'the form of the export': form,
  'the form of its notes': notes,
  keys: keys,
})

function file(changed: string): Buffer {
  if (changed === text) throw new Error('nothing was changed')
  return Buffer.from(changed)
}

/** A change of what no signature covers. */
function redated(text: string): Uint8Array {
  return file(text.replace(/"exported_at":"2/, '"exported_at":"1'))
}
