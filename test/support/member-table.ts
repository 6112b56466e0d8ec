import { z } from 'zod'
import { code, table } from './generated-tables.ts'

/** What this table reads of a JSON Schema. */
interface Shape {
  $ref?: string
  $defs?: Record<string, Shape>
  type?: string | string[]
  description?: string
  properties?: Record<string, Shape>
  required?: string[]
  additionalProperties?: Shape | boolean
  items?: Shape
  anyOf?: Shape[]
  oneOf?: Shape[]
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  default?: unknown
}

interface Member {
  path: string
  shape: Shape
  required: 'yes' | 'no' | 'in its form'
}

/** Every member of a document, in the order of its schema: path, whether it is required, type with bounds, meaning. */
export function memberTable(schema: z.ZodType, without: RegExp = /^$/): string {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape
  const definitions = root.$defs ?? {}
  const resolve = (shape: Shape): Shape => resolved(shape, definitions)
  const members = [...membersOf(resolve(root), '', resolve)].filter(({ path }) => !without.test(path))
  const rows = merged(members).map(({ path, required, shapes }) => [
    code(path),
    required,
    [...new Set(shapes.map(shape => typeOf(shape, resolve)))].join(' or '),
    shapes.map(shape => meaningOf(shape, resolve)).find(text => text !== '') ?? '',
  ])
  return table(['member', 'required', 'type and bounds', 'meaning'], rows)
}

interface Row {
  path: string
  required: Member['required']
  shapes: Shape[]
}

/** A member that several forms of a document have is one row. */
function merged(members: readonly Member[]): Row[] {
  const rows = new Map<string, Row>()
  for (const { path, required, shape } of members) {
    const row = rows.get(path)
    if (row === undefined) rows.set(path, { path, required, shapes: [shape] })
    else row.shapes.push(shape)
  }
  return [...rows.values()]
}

type Resolve = (shape: Shape) => Shape

function resolved(shape: Shape, definitions: Record<string, Shape>): Shape {
  const name = shape.$ref?.split('/').at(-1)
  if (name === undefined) return shape
  const { $ref: _, ...own } = shape
  return { ...definitions[name], ...own }
}

function* membersOf(shape: Shape, prefix: string, resolve: Resolve): Generator<Member> {
  for (const [name, member] of Object.entries(shape.properties ?? {})) {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const whole = resolve(member)
    yield { path, shape: whole, required: shape.required?.includes(name) ? 'yes' : 'no' }
    yield* below(whole, path, resolve)
  }
}

/** Members of what a member holds: of an object, of each item, of each entry, and of each form that it may have. */
function* below(shape: Shape, path: string, resolve: Resolve): Generator<Member> {
  yield* membersOf(shape, path, resolve)
  if (shape.items) yield* below(resolve(shape.items), `${path}[]`, resolve)
  const entry = shape.additionalProperties
  if (typeof entry === 'object') yield* below(resolve(entry), `${path}.<name>`, resolve)
  yield* belowForms(shape, path, resolve)
}

/** A member that not every form has is required in its form alone. */
function* belowForms(shape: Shape, path: string, resolve: Resolve): Generator<Member> {
  const forms = formsOf(shape).map(form => [...below(resolve(form), path, resolve)])
  for (const members of forms) {
    for (const member of members) {
      const isCommon = forms.every(others => others.some(other => other.path === member.path))
      yield isCommon || member.required === 'no' ? member : { ...member, required: 'in its form' }
    }
  }
}

function formsOf(shape: Shape): Shape[] {
  return shape.anyOf ?? shape.oneOf ?? []
}

function typeOf(shape: Shape, resolve: Resolve): string {
  const forms = formsOf(shape).map(form => typeOf(resolve(form), resolve))
  if (forms.length > 0) return [...new Set(forms)].join(' or ')
  if (shape.const !== undefined) return code(JSON.stringify(shape.const))
  if (shape.enum) return shape.enum.map(value => code(String(value))).join(', ')
  if (shape.type === 'array')
    return `array of ${typeOf(resolve(shape.items ?? {}), resolve)}${itemBounds(shape)}`
  if (typeof shape.additionalProperties === 'object' && shape.properties === undefined) {
    return `object: name to ${typeOf(resolve(shape.additionalProperties), resolve)}`
  }
  return `${nameOf(shape)}${bounds(shape)}`
}

function nameOf({ type, properties }: Shape): string {
  if (type === undefined) return properties ? 'object' : 'any JSON'
  if (type === 'string') return 'text'
  return Array.isArray(type) ? type.join(' or ') : type
}

function bounds(shape: Shape): string {
  const low = shape.minimum ?? shape.minLength
  const high = shape.maximum ?? shape.maxLength
  const isNumberOfSafeIntegers = high === Number.MAX_SAFE_INTEGER
  const from = low === undefined || low === Number.MIN_SAFE_INTEGER ? '' : ` from ${shown(low)}`
  const to = high === undefined || isNumberOfSafeIntegers ? '' : ` to ${shown(high)}`
  const unit = shape.type === 'string' && `${from}${to}` !== '' ? ' characters' : ''
  return (from === '' && to !== '' ? ` up${to}` : `${from}${to}`) + unit
}

function itemBounds({ minItems, maxItems }: Shape): string {
  const range = [minItems, maxItems].filter(bound => bound !== undefined).map(shown)
  if (range.length === 2) return `; ${range.join(' to ')} items`
  return maxItems === undefined ? '' : `; up to ${range[0]} items`
}

function shown(value: number): string {
  return value.toLocaleString('en-US')
}

/** Its own description; of a member with several forms those of the forms. */
function meaningOf(shape: Shape, resolve: Resolve): string {
  if (shape.description !== undefined) return shape.description
  const told = formsOf(shape).map(form => resolve(form).description)
  return told.filter(text => text !== undefined).join(' ')
}
