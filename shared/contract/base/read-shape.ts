import { z } from 'zod'
import { type Issue, issuesOf, pathText } from './errors.ts'
import { isPlainObject } from './json.ts'
import { limits } from './limits.ts'
import type { Slices } from './slices.ts'

export type ReadShape<Value> = { ok: true; value: Value } | { ok: false; issues: Issue[] }

type Path = readonly (string | number)[]

/**
 * Reads a value by its schema. Large values are read piece by piece until the maximum number of issues, so that
 * 100,000 faulty members cost no more than a few.
 */
export function* readShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Slices<ReadShape<z.output<Schema>>> {
  if (hasMany(schema)) {
    const issues: Issue[] = []
    yield* readPiece(schema, value, [], issues)
    if (issues.length > limits.problems_max) return { ok: false, issues }
  }
  const parsed = schema.safeParse(value)
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, issues: issuesOf(parsed.error) }
}

const many = new WeakMap<z.ZodType, boolean>()

function hasMany(schema: z.ZodType): boolean {
  const known = many.get(schema)
  if (known !== undefined) return known
  const found = schema instanceof z.ZodArray || schema instanceof z.ZodRecord || innerOf(schema).some(hasMany)
  many.set(schema, found)
  return found
}

function innerOf(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodOptional) return [schema.unwrap() as z.ZodType]
  return schema instanceof z.ZodObject ? (Object.values(schema.shape) as z.ZodType[]) : []
}

function* readPiece(schema: z.ZodType, value: unknown, path: Path, issues: Issue[]): Slices<void> {
  if (issues.length > limits.problems_max) return
  if (schema instanceof z.ZodOptional && value !== undefined) {
    yield* readPiece(schema.unwrap() as z.ZodType, value, path, issues)
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    yield* readItems(schema, value, path, issues)
  } else if (schema instanceof z.ZodObject && isPlainObject(value)) {
    yield* readMembers(schema, value, path, issues)
  } else if (schema instanceof z.ZodRecord && isPlainObject(value)) {
    yield* readNamed(schema, value, path, issues)
  } else {
    yield
    const parsed = schema.safeParse(value)
    if (!parsed.success) issues.push(...issuesOf(parsed.error, path))
  }
}

function* readItems(
  schema: z.ZodArray,
  items: readonly unknown[],
  path: Path,
  issues: Issue[],
): Slices<void> {
  for (const [index, item] of items.entries()) {
    if (issues.length > limits.problems_max) return
    yield* readPiece(schema.element as z.ZodType, item, [...path, index], issues)
  }
}

type Members = Record<string, unknown>

function* readMembers(schema: z.ZodObject, value: Members, path: Path, issues: Issue[]): Slices<void> {
  for (const [name, member] of Object.entries(schema.shape)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    yield* readPiece(member as z.ZodType, given, [...path, name], issues)
  }
  for (const name of Object.keys(value)) {
    if (issues.length > limits.problems_max) return
    if (Object.hasOwn(schema.shape, name)) continue
    issues.push({ path: pathText([...path, name]), code: 'unknown_field', message: 'is not a known field' })
  }
}

function* readNamed(schema: z.ZodRecord, value: Members, path: Path, issues: Issue[]): Slices<void> {
  for (const [name, member] of Object.entries(value)) {
    if (issues.length > limits.problems_max) return
    const at = [...path, name]
    if (!(schema.keyType as z.ZodType).safeParse(name).success)
      issues.push({ path: pathText(at), code: 'invalid_key', message: 'Invalid key in record' })
    yield* readPiece(schema.valueType as z.ZodType, member, at, issues)
  }
}
