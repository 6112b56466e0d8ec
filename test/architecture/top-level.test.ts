import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'

const expected = [
  'LICENSE',
  'README.md',
  'api',
  'docker-compose.yml',
  'drizzle',
  'package-lock.json',
  'package.json',
  'shared',
  'test',
  'tsconfig.json',
  'worker',
]

/** Read from the directory, not from git: a copy of the tree and another user's checkout are judged alike. */
test('the top level holds the files of this list, and dotfiles', () => {
  const present = readdirSync(repositoryRoot).filter(name => !name.startsWith('.') && !isIgnored(name))
  const advice = 'put configuration beside what it governs, everything else into the folder it belongs to'
  expect(present.sort(), advice).toEqual(expected)
})

test('what is ignored is known by its name', () => {
  expect(['dist', 'node_modules', 'npm-debug.log', '.cache'].filter(name => !isIgnored(name))).toEqual([])
  expect(expected.filter(isIgnored)).toEqual([])
})

function isIgnored(name: string): boolean {
  return ignored().some(pattern =>
    pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern.replace(/\/$/, ''),
  )
}

function ignored(): string[] {
  return readFileSync(join(repositoryRoot, '.gitignore'), 'utf8')
    .split('\n')
    .filter(line => line !== '')
}
