import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { productRoot } from './product-root.ts'

type Flags = NonNullable<ParseArgsConfig['options']>

/** Returns the usage or version if the arguments ask for it, otherwise null. */
export function aboutCommand(args: readonly string[], usage: string): string | null {
  const end = args.indexOf('--')
  const flags = end === -1 ? args : args.slice(0, end)
  if (flags.includes('--help') || flags.includes('-h')) return usage
  return flags.includes('--version') ? `${readVersion()}\n` : null
}

/** Reads a command line. Throws an error that names the wrong flag and the flag that may be meant. */
export function readCommandLine<const Given extends Flags>(args: readonly string[], flags: Given) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: flags })
  } catch (error) {
    throw new Error(problemOf(error, Object.keys(flags)))
  }
}

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

/**
 * Returns the likely intended name: one with this beginning, or one that differs in at most a third of its
 * letters.
 */
function nearest(given: string, names: readonly string[]): string | null {
  const [begun, ...others] = names.filter(name => given.length > 1 && name.startsWith(given))
  if (begun !== undefined && others.length === 0) return begun
  const far = Math.max(1, Math.floor(given.length / 3))
  const near = names
    .map(name => ({ name, distance: distanceOf(given, name) }))
    .sort((left, right) => left.distance - right.distance)[0]
  return near && near.distance <= far ? near.name : null
}

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
