import { expect, test } from 'vitest'
import { dependencyRules } from './dependency-cruiser.config.ts'
import { exceptions } from './exceptions.ts'
import { homes } from './homes.ts'
import { listFiles, productFolders, readSources, type SourceFile } from './source-tree.ts'

const files = listFiles([...productFolders, 'drizzle', 'test'])
const sources = readSources([...productFolders, 'drizzle', 'test'])

test('nothing is left for later', () => {
  const left = sources.flatMap(file => linesWith(file, /\b(TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b|\.to[d]o\(/))
  expect(left, 'do it now, or write it into an issue').toEqual([])
})

test('nothing is silenced', () => {
  const silenced = sources.flatMap(file =>
    linesWith(
      file,
      /biome-ignor[e]|@ts-(ignor[e]|nochec[k]|expect-erro[r])|eslint-disabl[e]|(c8|v8) ignor[e]/,
    ),
  )
  expect(silenced, 'mend what the tool found').toEqual([])
})

test('folders are named after what is in them', () => {
  // Beside the pages of a browser, `lib` is what every reader expects there.
  const named = files.map(path => path.replace(/^api\/web\/lib\//, 'api/web/'))
  const folders = new Set(named.flatMap(path => path.split('/').slice(0, -1)))
  const vague = /^(utils?|common|helpers?|misc|lib|shared-utils)$/
  const badly = [...folders].filter(name => vague.test(name) || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
  expect(badly, 'say what the files are for, in kebab-case').toEqual([])
})

test('exceptions name files and rules that are there', () => {
  const knownFiles = new Set([...files, 'package.json'])
  const knownRules = new Set([
    ...homes.map(({ rule }) => rule),
    ...dependencyRules.map(({ name }) => name),
    ...['package-in-use', 'product-file-max', 'product-nesting', 'test-file-max', 'test-nesting'],
  ])
  const astray = exceptions.filter(({ file, rule }) => !knownFiles.has(file) || !knownRules.has(rule))
  expect(astray, 'correct the name, or remove the exception').toEqual([])
})

function linesWith({ path, text }: SourceFile, pattern: RegExp): string[] {
  return text
    .split('\n')
    .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${line.trim().slice(0, 80)}`] : []))
}
