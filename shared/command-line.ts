import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { productRoot } from './product-root.ts'

/** Flags by their names, as `parseArgs` of Node takes them. */
type Flags = NonNullable<ParseArgsConfig['options']>

/** What every command answers without doing anything: its usage, or the version; null where neither is asked for. */
export function aboutCommand(args: readonly string[], usage: string): string | null {
  const end = args.indexOf('--')
  const flags = end === -1 ? args : args.slice(0, end)
  if (flags.includes('--help') || flags.includes('-h')) return usage
  return flags.includes('--version') ? `${readVersion()}\n` : null
}

/** Read a command line; throws an error that names the flag that is wrong, and the one that may be meant. */
export function readCommandLine<const Given extends Flags>(args: readonly string[], flags: Given) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: flags })
  } catch (error) {
    throw new Error(problemOf(error, Object.keys(flags)))
  }
}

/** Version of the service, as its package says. */
export function readVersion(): string {
  const text = readFileSync(new URL('package.json', productRoot), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

function problemOf(error: unknown, names: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error)
  const [, unknown] = /^Unknown option '(-[^']*)'/.exec(message) ?? []
  if (unknown === undefined) return message
  const meant = nearest(unknown.replace(/^-+/, ''), names)
  const hint = meant === null ? '--help lists those that there are' : `did you mean --${meant}?`
  return `unknown flag ${unknown}; ${hint}`
}

/** The name that was meant: one that begins so, or differs in a third of its letters at most. */
function nearest(given: string, names: readonly string[]): string | null {
  const [begun, ...others] = names.filter(name => given.length > 1 && name.startsWith(given))
  if (begun !== undefined && others.length === 0) return begun
  const far = Math.max(1, Math.floor(given.length / 3))
  const near = names
    .map(name => ({ name, distance: distanceOf(given, name) }))
    .sort((left, right) => left.distance - right.distance)[0]
  return near && near.distance <= far ? near.name : null
}

/** Letters to insert, remove or replace, or neighbours to exchange. */
function distanceOf(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, at) => at)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= left.length; row += 1) {
    rows[row] = [row]
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = at(row - 1, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1)
      const exchanged =
        left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
          ? at(row - 2, column - 2) + 1
          : replaced
      rows[row]?.push(Math.min(replaced, exchanged, at(row - 1, column) + 1, at(row, column - 1) + 1))
    }
  }
  return at(left.length, right.length)
}
