import { z } from 'zod'
import { instantSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'

export function wholeNumberSchema(max: number) {
  return z
    .string()
    .regex(/^\d{1,6}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .meta({
      override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => asInteger(jsonSchema, max),
    })
}

/** Describes a number in the public documents, because the parser itself needs a pattern for text. */
function asInteger(jsonSchema: Record<string, unknown>, max: number): void {
  delete jsonSchema.pattern
  Object.assign(jsonSchema, { type: 'integer', minimum: 1, maximum: max })
}

export const logSizeSchema = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,14})$/, 'must be a whole number')
  .transform(Number)
  .meta({
    override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
      delete jsonSchema.pattern
      Object.assign(jsonSchema, { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 })
    },
  })

/** The `limit` of a list: 1–200, default 50 (specification.md#endpoints). */
export const listLimitSchema = wholeNumberSchema(limits.list_limit_max)
  .default(limits.list_limit_default)
  .meta({ description: 'Length of the page.', override: { default: limits.list_limit_default } })

/** The opaque `next_cursor` of a list; null on the last page. */
export const nextCursorSchema = z
  .string()
  .nullable()
  .meta({ description: '`cursor` of the next page; null on the last.', examples: [null] })

const listedIdSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)

/** A cursor over (creation time, id), written as `<ISO time>~<id>` in base64url. */
export const timeCursorSchema = z
  .string()
  .max(400)
  .transform(readTimeCursor)
  .pipe(z.tuple([instantSchema, listedIdSchema], 'is not a cursor of this list'))
  .meta({ description: '`next_cursor` of the page before; opaque.' })
export type TimeCursor = z.output<typeof timeCursorSchema>

export function writeTimeCursor(cursor: TimeCursor): string {
  return Buffer.from(cursor.join('~')).toString('base64url')
}

function readTimeCursor(text: string): string[] {
  const decoded = Buffer.from(text, 'base64url').toString()
  const split = decoded.indexOf('~')
  return [decoded.slice(0, split), decoded.slice(split + 1)]
}

export const revisionNumberSchema = wholeNumberSchema(limits.revision_max)
