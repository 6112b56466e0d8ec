import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles, productFolders, readSources } from '../architecture/source-tree.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { baseNamesTwice, foldersOver, lineCount, shortFiles, wordCount } from './measure.ts'
import { filesOn, gapsOn, ways } from './ways.ts'

/** `npm run house`: the figures of the house, each beside its bound. Ends with 1 when one is over it. */

const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8')
const everything = listFiles([...productFolders, 'test', 'drizzle'])
const product = readSources(productFolders)
const server = product.filter(({ path }) => !path.startsWith('api/web/')).map(({ path }) => path)
const shared = product.filter(({ path }) => path.startsWith('shared/'))

const figures: readonly { what: string; value: number; bound: number; which?: readonly string[] }[] = [
  { what: 'lines of README.md', value: lineCount(readme), bound: 200 },
  { what: 'words of README.md', value: wordCount(readme), bound: 1_200 },
  listed('folders of more than 25 files', foldersOver(everything, 25), 0),
  listed('base names of the server that exist twice', baseNamesTwice(server), 0),
  listed('files of shared under 40 lines', shortFiles(shared, 40), 20),
  ...ways.flatMap(way => [
    listed(way.what, filesOn(way), way.bound),
    listed(`gaps between the ${way.what}`, gapsOn(way), 0),
  ]),
]

let over = 0
for (const { what, value, bound, which = [] } of figures) {
  const holds = value <= bound
  if (!holds) over += 1
  process.stdout.write(`${holds ? 'holds' : 'OVER '}  ${what}: ${value} (at most ${bound})\n`)
  if (!holds) for (const one of which) process.stdout.write(`         ${one}\n`)
}
const lines = product.reduce((sum, { text }) => sum + lineCount(text), 0)
process.stdout.write(`       lines of api, shared and worker: ${lines} in ${product.length} files\n`)
process.exit(over === 0 ? 0 : 1)

function listed(what: string, which: readonly string[], bound: number) {
  return { what, value: which.length, bound, which }
}
