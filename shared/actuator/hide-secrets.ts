import { encodedForForm, readingsOf, spanIn } from './escaped-text.ts'

/** What stands where a secret was. */
export const hiddenMark = '[redacted]'

/** Shorter secrets would hide words. */
const lengthMin = 6

/**
 * Hides secrets in a text, in whatever form a downstream repeats them: as they are, escaped (percent, form, JSON, HTML), in
 * hexadecimal, and in base64 of either alphabet wherever in what was encoded (a pair of Basic, a body). The forms are made
 * when the first text comes: most attempts have none that holds a secret, and a certificate is long.
 */
export function hidingSecrets(secrets: readonly string[]): (text: string) => string {
  const hidden = [...new Set(secrets)].filter(({ length }) => length >= lengthMin)
  if (hidden.length === 0) return text => text
  const plus = hidden.some(secret => secret.includes(' '))
  let forms: Forms | null = null
  return text => {
    forms ??= formsOf(hidden)
    const spans: Span[] = []
    for (const reading of readingsOf(text, { plus })) {
      for (const [from, to] of found(reading.text, forms)) spans.push(spanIn(reading, from, to))
    }
    return spans.length === 0 ? text : without(text, spans)
  }
}

type Span = [from: number, to: number]

interface Forms {
  plain: readonly string[]
  /** In small letters. */
  hexadecimal: readonly string[]
  /** In the alphabet with `+` and `/`, as far as the secret alone decides them. */
  base64: readonly string[]
}

function formsOf(secrets: readonly string[]): Forms {
  const written = [...new Set(secrets.flatMap(writtenForms))]
  return {
    plain: secrets,
    hexadecimal: secrets.map(secret => Buffer.from(secret).toString('hex')),
    base64: [...new Set(written.flatMap(base64Forms))],
  }
}

/** How a secret may be written before it is encoded. */
function writtenForms(secret: string): string[] {
  const form = new URLSearchParams({ '': secret }).toString().slice(1)
  const strict = encodedForForm(secret)
  const json = JSON.stringify(secret).slice(1, -1)
  const spaced = [form, strict].map(text => text.replaceAll('+', '%20'))
  const percent = encodeURIComponent(Buffer.from(secret).toString())
  return [secret, form, strict, ...spaced, percent, json, json.replaceAll('/', '\\/')]
}

/**
 * The characters of base64 that a text alone decides, for each of the three places where it may begin in what is encoded.
 * Two more on either side hold the rest of it: they are hidden with it.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text)
  return [0, 1, 2].flatMap(before => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const first = Math.ceil((before * 8) / 6)
    const last = Math.floor(((before + bytes.length) * 8) / 6)
    const form = encoded.slice(first, last)
    return form.length < lengthMin ? [] : [form]
  })
}

const edge = 2

function found(text: string, { plain, hexadecimal, base64 }: Forms): Span[] {
  const spans = plain.flatMap(form => placesOf(text, form))
  const small = text.toLowerCase()
  // A letter whose small one is longer would move what comes after it; hexadecimal has none.
  if (small.length === text.length) spans.push(...hexadecimal.flatMap(form => placesOf(small, form)))
  const standard = text.replaceAll('-', '+').replaceAll('_', '/')
  const encoded = base64.flatMap(form => placesOf(standard, form))
  return [...spans, ...encoded.map(([from, to]): Span => withEdges(standard, from, to))]
}

function placesOf(text: string, form: string): Span[] {
  const spans: Span[] = []
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length))
    spans.push([at, at + form.length])
  return spans
}

const isOfBase64 = (character: string | undefined): boolean =>
  character !== undefined && /^[A-Za-z0-9+/=]$/.test(character)

function withEdges(text: string, from: number, to: number): Span {
  let first = from
  let last = to
  while (from - first < edge && isOfBase64(text[first - 1])) first -= 1
  while (last - to < edge && isOfBase64(text[last])) last += 1
  return [first, last]
}

/** Spans that overlap are hidden as one. */
function without(text: string, spans: readonly Span[]): string {
  const ordered = [...spans].sort(([one], [other]) => one - other)
  let shown = ''
  let done = 0
  for (const [from, to] of ordered) {
    if (from >= done) shown += `${text.slice(done, from)}${hiddenMark}`
    done = Math.max(done, to)
  }
  return shown + text.slice(done)
}
