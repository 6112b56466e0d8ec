// The conformance suite names one function of `fs` that Node 20 does not have, for a command that is not used here.
import { register } from 'node:module'

const withGlob =
  'export * from "node:fs"; export { default } from "node:fs"; export const globSync = undefined'

const hooks = `export async function resolve(specifier, context, next) {
  if (specifier !== 'fs' || !context.parentURL?.includes('/conformance/')) return next(specifier, context)
  return { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(withGlob)}`)}, shortCircuit: true }
}`

register(`data:text/javascript,${encodeURIComponent(hooks)}`)
