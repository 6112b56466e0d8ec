import { z } from 'zod'
import { documentSchema, isPlainObject } from './json.ts'

/**
 * Body of a change (specification section 4): `wrapped` with its note, or the bare document that the public documents
 * show as the component `id`. The member `name` tells which; a wrapped one is as closed as any other body.
 */
export function changeBodySchema<Wrapped extends z.ZodType>(wrapped: Wrapped, name: string, id: string) {
  return z.union([wrapped, documentSchema(id)]).superRefine((body, context) => {
    if (!isPlainObject(body) || !Object.hasOwn(body, name)) return
    for (const issue of wrapped.safeParse(body).error?.issues ?? []) context.addIssue({ ...issue })
  })
}
