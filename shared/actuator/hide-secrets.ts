import { encodedForForm, readingsOf, spanIn } from './escaped-text.ts'

export const hiddenMark = '[redacted]'

/** The shortest secret that is hidden, because hiding shorter secrets would also hide ordinary words. */
const lengthMin = 6

/**
 * Hides secrets in every form in which a downstream may repeat them: plain, escaped (percent, form, JSON,
 * HTML), hexadecimal, and base64 in either alphabet at any offset. It computes the forms only when the first
 * text comes, because a certificate is long.
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
  hexadecimal: readonly string[]
  /** Base64 characters that depend on the secret alone, in the alphabet with `+` and `/`. */
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

function writtenForms(secret: string): string[] {
  const form = new URLSearchParams({ '': secret }).toString().slice(1)
  const strict = encodedForForm(secret)
  const json = JSON.stringify(secret).slice(1, -1)
  const spaced = [form, strict].map(text => text.replaceAll('+', '%20'))
  const percent = encodeURIComponent(Buffer.from(secret).toString())
  return [secret, form, strict, ...spaced, percent, json, json.replaceAll('/', '\\/')]
}

/**
 * Returns the base64 characters that depend on the text alone, for each of the 3 possible offsets. Up to 2
 * characters on either side also contain bits of the text, so they are hidden too.
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
  // Only A to F become lower case, because `toLowerCase` lengthens some letters and would shift positions.
  const small = text.replaceAll(/[A-F]/g, letter => letter.toLowerCase())
  spans.push(...hexadecimal.flatMap(form => placesOf(small, form)))
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
