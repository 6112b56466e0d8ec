import { escapeHtml } from './escape-html.ts'

export interface Schema {
  $ref?: string
  title?: string
  description?: string
  type?: string | readonly string[]
  format?: string
  pattern?: string
  const?: unknown
  enum?: readonly unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
}

export function schemaList(schemas: Readonly<Record<string, Schema>>): string {
  return Object.keys(schemas)
    .sort()
    .map(name => {
      const schema = schemas[name] ?? {}
      const { title = '', description = '' } = schema
      return `<details class="operation"><summary><h2 id="${name}"><code>${name}</code></h2> <span class="told">${escapeHtml(title)}</span></summary>
<div class="body">${words(description)}${schemaTable(schema)}</div></details>`
    })
    .join('\n')
}

export function schemaTable(schema: Schema): string {
  const rows = membersOf(schema, '')
  if (rows.length === 0) return `<p>${typeOf(schema)}</p>`
  const cells = rows.map(({ path, required, schema: member }) => [
    `<code>${escapeHtml(path)}</code>`,
    required ? 'yes' : '',
    typeOf(member),
    words(member.description ?? ''),
  ])
  return table(['member', 'required', 'type', 'meaning'], cells)
}

interface Member {
  path: string
  required: boolean
  schema: Schema
}

/** Lists unnamed inner objects by path, with `[]` for the items of a list and `*` for the values of a map. */
function membersOf(schema: Schema, path: string): Member[] {
  const { properties = {}, required = [], additionalProperties, items } = schema
  const at = (name: string) => (path === '' ? name : `${path}.${name}`)
  const own = Object.entries(properties).flatMap(([name, member]) => [
    { path: at(name), required: required.includes(name), schema: member },
    ...membersOf(member, at(name)),
  ])
  const each = typeof additionalProperties === 'object' ? additionalProperties : null
  const ofMap = each === null || Object.keys(each).length === 0 ? [] : membersOf(each, at('*'))
  const ofChoices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  const ofItems = items ? membersOf(items, `${path}[]`) : []
  return [...own, ...ofMap, ...ofItems, ...ofChoices.flatMap(choice => membersOf(choice, path))]
}

export function typeOf(schema: Schema): string {
  const { $ref, items, anyOf, oneOf, allOf, type } = schema
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? ''
    return `<a href="/docs/api-models#${name}">${name}</a>`
  }
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`
  if (schema.enum)
    return schema.enum.map(value => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(', ')
  const choices = anyOf ?? oneOf
  if (choices) return choices.map(typeOf).join(' or ')
  if (allOf) return allOf.map(typeOf).join(' and ')
  const whole = [type ?? 'anything'].flat().join(' or ')
  if (items) return `${whole} of ${typeOf(items)}${boundsOf(schema)}`
  const { additionalProperties: each } = schema
  const isMap = typeof each === 'object' && Object.keys(each).length > 0
  return `${whole}${isMap ? ` of ${typeOf(each)}` : ''}${boundsOf(schema)}`
}

function boundsOf(schema: Schema): string {
  const { minimum = '', maximum = '', minLength = '', maxLength = '', minItems = '', maxItems = '' } = schema
  const range = (from: unknown, to: unknown, what: string) =>
    from === '' && to === '' ? [] : [`${from}–${to}${what}`]
  const bounds = [
    ...range(minimum, isBound(maximum) ? maximum : '', ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
    ...(schema.format === undefined ? [] : [schema.format]),
    ...(schema.pattern === undefined ? [] : [`<code>${escapeHtml(schema.pattern)}</code>`]),
    ...(schema.default === undefined
      ? []
      : [`default <code>${escapeHtml(JSON.stringify(schema.default))}</code>`]),
  ]
  return bounds.length === 0 ? '' : `<span class="bounds">${bounds.join(', ')}</span>`
}

/** Hides the largest safe integer, because no caller reaches that limit. */
function isBound(maximum: number | ''): boolean {
  return maximum !== Number.MAX_SAFE_INTEGER
}

export function words(text: string): string {
  if (text === '') return ''
  const phrases = (paragraph: string) =>
    paragraph
      .split('`')
      .map((part, at) => (at % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : escapeHtml(part)))
      .join('')
  return text
    .split(/\n{2,}/)
    .map(paragraph => `<p>${phrases(paragraph)}</p>`)
    .join('')
}

export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = titles.map(title => `<th scope="col">${title}</th>`).join('')
  const body = rows.map(cells => `<tr>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`)
  return `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`
}
