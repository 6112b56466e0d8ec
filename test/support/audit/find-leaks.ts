import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { secretsSuffix } from './kept-logs.ts'

/** A secret in a log: where it stands, and how it begins. */
export interface Leak {
  file: string
  line: number
  begins: string
}

/** What a pass over the logs of a run came to. */
export interface LeakReport {
  files: number
  lines: number
  secrets: number
  leaks: Leak[]
}

/**
 * One pass over every kept log. A secret is looked up by its first characters at each place of each long word, so that
 * the number of secrets does not matter; those that have no long word are few, and looked for one by one.
 */
export async function findLeaks(directory: string): Promise<LeakReport> {
  const names = (await readdir(directory).catch(() => [])).sort()
  const secrets = await readSecrets(directory, names)
  const index = indexed(secrets)
  const report: LeakReport = { files: 0, lines: 0, secrets: secrets.length, leaks: [] }
  for (const file of names.filter(name => name.endsWith('.log'))) {
    report.files += 1
    let line = 0
    for await (const text of createInterface({ input: createReadStream(join(directory, file)) })) {
      line += 1
      const secret = secretIn(text, index)
      if (secret !== null) report.leaks.push({ file, line, begins: secret.slice(0, 6) })
    }
    report.lines += line
  }
  return report
}

const needleLength = 16
const word = /[A-Za-z0-9_+/=-]{16,}/g
/** Shorter ones may stand in a log for other reasons. */
const secretLengthMin = 12

interface Index {
  byNeedle: ReadonlyMap<string, readonly string[]>
  others: readonly string[]
}

async function readSecrets(directory: string, names: readonly string[]): Promise<string[]> {
  const files = names.filter(name => name.endsWith(secretsSuffix))
  const texts = await Promise.all(files.map(name => readFile(join(directory, name), 'utf8')))
  const lines = texts.flatMap(text => text.split('\n').filter(line => line !== ''))
  const secrets = new Set(lines.map(line => JSON.parse(line) as string))
  return [...secrets].filter(({ length }) => length >= secretLengthMin)
}

function indexed(secrets: readonly string[]): Index {
  const byNeedle = new Map<string, string[]>()
  const others: string[] = []
  for (const secret of secrets.flatMap(spellings)) {
    const needle = secret.match(word)?.[0]?.slice(0, needleLength)
    if (needle === undefined) others.push(secret)
    else byNeedle.set(needle, [...(byNeedle.get(needle) ?? []), secret])
  }
  return { byNeedle, others }
}

/** As it is, as a member of JSON, and in the two ways in which bytes are told. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), bytes.toString('hex'), base64])]
}

function secretIn(line: string, { byNeedle, others }: Index): string | null {
  for (const [found] of line.matchAll(word)) {
    for (let at = 0; at + needleLength <= found.length; at += 1) {
      const candidates = byNeedle.get(found.slice(at, at + needleLength))
      const secret = candidates?.find(candidate => line.includes(candidate))
      if (secret !== undefined) return secret
    }
  }
  return others.find(secret => line.includes(secret)) ?? null
}
