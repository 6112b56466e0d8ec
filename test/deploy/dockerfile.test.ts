import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeFlags } from '../support/platform/node-flags.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { chainOf, lastOf, readCopy, readDockerfile } from './read-dockerfile.ts'

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
const stages = readDockerfile(read('api/Dockerfile'))
const targets = ['api', 'worker']

describe('api/Dockerfile', () => {
  it('has the stages that it says, each from one before it or from an exact image', () => {
    expect(stages.map(({ name }) => name)).toEqual(['base', 'build', 'production', ...targets])
    for (const [n, { from }] of stages.entries()) {
      const before = stages.slice(0, n).map(({ name }) => name)
      if (!before.includes(from))
        expect(from).toMatch(/^node:(22|24)\.\d+\.\d+-bookworm-slim(@sha256:[0-9a-f]{64})?$/)
    }
  })

  it('copies what is there, and what .dockerignore lets in', () => {
    const let_in = read('.dockerignore')
      .split('\n')
      .filter(line => line.startsWith('!'))
      .map(line => line.slice(1))
    const sources = copies().flatMap(({ from, sources }) => (from === null ? sources : []))
    expect(sources.filter(source => !existsSync(join(repositoryRoot, source)))).toEqual([])
    expect([...new Set(sources)].sort()).toEqual(let_in.sort())
    expect(read('.dockerignore')).toMatch(/^\*$/m)
  })

  it('copies from stages that are there', () => {
    const from = copies().flatMap(copy => copy.from ?? [])
    expect(from).toEqual(['build'])
  })

  it('runs no install script, and installs what the lock says', () => {
    const installs = runs().filter(command => /\bnpm\b/.test(command) && !command.startsWith('npm run '))
    expect(installs).toHaveLength(2)
    for (const command of installs) expect(command).toMatch(/^npm ci --ignore-scripts/)
    expect(
      runs().filter(command => /\b(curl|wget|apt-get|sudo|npx|npm (i|install)\b)/.test(command)),
    ).toEqual([])
  })

  it.each(targets)('%s runs as a user that owns nothing, without a shell, and is asked how it is', target => {
    const chain = chainOf(stages, target)
    expect(chain.map(({ name }) => name)).toEqual(['base', 'production', target])
    expect(lastOf(chain, 'USER')).toBe('1000:1000')
    expect(chain.at(-1)?.instructions.map(({ word }) => word)).toContain('USER')
    expect(lastOf(chain, 'HEALTHCHECK')).toMatch(/CMD \["is-ready", "\d+", "\/[\w/]+"\]$/)
    const entry: string[] = JSON.parse(lastOf(chain, 'ENTRYPOINT') ?? '[]')
    const program = 1 + nodeFlags.length
    expect(entry.slice(0, program)).toEqual(['node', ...nodeFlags])
    expect(existsSync(join(repositoryRoot, entry[program]?.replace(/^dist\/(.*)\.js$/, '$1.ts') ?? ''))).toBe(
      true,
    )
    expect(
      chain.flatMap(({ instructions }) => instructions).filter(({ rest }) => /--chown/.test(rest)),
    ).toEqual([])
  })

  it('starts Node as the scripts do', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    for (const name of ['start', 'start:api', 'start:worker']) {
      expect(scripts[name]).toContain(`exec node ${nodeFlags.join(' ')} dist/`)
    }
  })

  it('has no secret in it', () => {
    expect(read('api/Dockerfile')).not.toMatch(/password|secret|token|_KEY/i)
  })
})

describe('the reader', () => {
  it.each([
    ['RUN a', 'before any stage'],
    ['FROM node AS a\nADD x y', 'not an instruction'],
    ['FROM node', 'an image and a name'],
    ['FROM node AS a\nrun a', 'not an instruction'],
  ])('refuses %j', (text, why) => {
    expect(() => readDockerfile(text)).toThrow(why)
  })

  it('joins lines and leaves comments out', () => {
    const [stage] = readDockerfile('FROM node AS a\n# no\nRUN a \\\n  b\n')
    expect(stage?.instructions).toEqual([{ word: 'RUN', rest: 'a b' }])
  })
})

function runs(): string[] {
  return stages
    .flatMap(({ instructions }) => instructions)
    .flatMap(({ word, rest }) => (word === 'RUN' ? [rest] : []))
}

function copies(): ReturnType<typeof readCopy>[] {
  return stages
    .flatMap(({ instructions }) => instructions)
    .flatMap(({ word, rest }) => (word === 'COPY' ? [readCopy(rest)] : []))
}
