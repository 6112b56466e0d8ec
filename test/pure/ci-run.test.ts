import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { needs } from '../support/helper-programs.ts'
import { repositoryRoot } from '../support/repository-root.ts'

/** The script of a checkout whose `npm` fails what it is told to, and keeps what it was asked for. */
let directory: string

beforeEach(context => {
  needs(context, 'bash')
  directory = mkdtempSync(join(tmpdir(), 'action-gate-ci-'))
  mkdirSync(join(directory, '.ci'))
  writeFileSync(join(directory, '.ci/run'), readFileSync(join(repositoryRoot, '.ci/run')))
})
afterEach(() => rmSync(directory, { recursive: true }))

type Command = 'test' | 'test:all'

function run(failures: Partial<Record<Command, readonly string[]>> & { alone?: string }) {
  const { alone = 'none' } = failures
  const whole = (command: Command) =>
    `printf '%s' '${(failures[command] ?? []).map(file => `${file}\n`).join('')}' > "$FAILED_TEST_FILES"; exit ${failures[command] ? 1 : 0}`
  const npm = `#!/usr/bin/env bash
echo "$*" >> "${directory}/asked"
case "$*" in
  "run test") ${whole('test')} ;;
  "run test:all") ${whole('test:all')} ;;
  *" ${alone}") exit 1 ;;
esac
`
  writeFileSync(join(directory, 'npm'), npm)
  chmodSync(join(directory, 'npm'), 0o755)
  const PATH = `${directory}:${process.env.PATH}`
  const { status, stdout } = spawnSync('bash', [join(directory, '.ci/run')], {
    env: { PATH },
    encoding: 'utf8',
  })
  return { status, stdout, asked: readFileSync(join(directory, 'asked'), 'utf8') }
}

describe('the run of a checkout', () => {
  it('asks for the two commands of the README, and for nothing more where both pass', () => {
    expect(run({})).toMatchObject({ status: 0, asked: 'ci\nrun test\nrun test:all\n' })
  })

  it.each<[Command, string]>([
    ['test', 'ci\nrun test\nrun test -- a\nrun test -- b\nrun test:all\n'],
    ['test:all', 'ci\nrun test\nrun test:all\nrun test:all -- a\nrun test:all -- b\n'],
  ])('names a file of npm run %s that passes alone as flaky', (command, expected) => {
    const { status, stdout, asked } = run({ [command]: ['a', 'b'] })
    expect({ status, asked }).toEqual({ status: 0, asked: expected })
    expect(stdout).toContain('flaky: a\n')
    expect(stdout).toContain('flaky files: 2\n')
  })

  it.each<[string, Parameters<typeof run>[0]]>([
    ['a file that fails alone too', { 'test:all': ['a', 'b'], alone: 'b' }],
    ['a file of people that fails alone too', { test: ['a'], alone: 'a' }],
    ['more than three files', { 'test:all': ['1', '2', '3', '4'] }],
    ['more than three files of people', { test: ['1', '2', '3', '4'] }],
    ['what is of no file', { 'test:all': [] }],
    ['what is of no file of people', { test: [] }],
  ])('fails for %s', (_, failures) => {
    expect(run(failures).status).toBe(1)
  })
})
