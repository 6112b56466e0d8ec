import type { JsonObject } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'

/** Makes a valid identifier from a text. Returns an empty text if no usable character remains. */
export function identifierOf(text: string): string {
  return text
    .replace(/[^A-Za-z0-9._:@/-]+/g, '_')
    .replace(/^[^A-Za-z0-9]+/, '')
    .replace(/_+$/, '')
    .slice(0, limits.identifier_length_max)
}

const systemLengthMax = 40
const systemWordsMax = 3

/** Makes a system's name from a title: `Swagger Petstore - OpenAPI 3.0` gives `swagger-petstore`. */
export function systemOf(title: string): string {
  const words = title
    .toLowerCase()
    .replace(/['’]s\b/g, '')
    .replace(
      /\b(?:rest|open|public)?[- ]?apis?\b|\bopenapi\b|\bdocumentation\b|\bspecification\b|\bserver\b|\bv?\d[\d.]*\b/g,
      ' ',
    )
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')
    .slice(0, systemWordsMax)
  const name = words.join('-').slice(0, systemLengthMax).replace(/-$/, '')
  return name === '' ? 'tool' : name
}

/** Names an operation by its request: `GET /users/{id}/posts` gives `get_users_id_posts`. */
export function nameOfRequest(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(word => word !== '')
  return identifierOf([method.toLowerCase(), ...words].join('_'))
}

export function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map(name => {
    let free = name
    for (let count = 2; taken.has(free); count += 1) free = `${name.slice(0, 190)}_${count}`
    taken.add(free)
    return free
  })
}

export function memberNameOf(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_$-]+/g, '_').replace(/^_+|_+$/g, '')
  return plain.slice(0, 100)
}

export function isMemberName(name: string): boolean {
  return /^[A-Za-z0-9_$-]{1,100}$/.test(name) && name !== '__proto__'
}

const descriptionLengthMax = 300

/** Returns the description with the format in words, because no code checks the format. */
export function describe({ description, format }: JsonObject): JsonObject {
  const text = typeof description === 'string' ? plainText(description, descriptionLengthMax) : ''
  const form = typeof format === 'string' && /^[a-z0-9-]{1,40}$/i.test(format) ? `Format: ${format}.` : ''
  const said = [text, form].filter(part => part !== '').join(' ')
  return said === '' ? {} : { description: said }
}

/**
 * Returns the beginning of a text as one line without control or invisible characters. A letter keeps at most
 * 4 marks, since a pile of marks would cover the lines around it.
 */
export function plainText(text: string, most: number): string {
  const line = text
    .slice(0, most * 4)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+/gu, ' ')
    .replace(/(\p{M}{4})\p{M}+/gu, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  const characters = Array.from(line)
  return characters.length <= most
    ? line
    : `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
}
