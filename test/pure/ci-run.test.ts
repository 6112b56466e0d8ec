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

function run(failures: { all?: readonly string[]; alone?: string; people?: boolean }) {
  const { all, alone = 'none', people = false } = failures
  const npm = `#!/usr/bin/env bash
echo "$*" >> "${directory}/asked"
case "$*" in
  test) exit ${people ? 1 : 0} ;;
  "run test:all") printf '%s' '${(all ?? []).map(file => `${file}\n`).join('')}' > "$FAILED_TEST_FILES"; exit ${all ? 1 : 0} ;;
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
    expect(run({})).toMatchObject({ status: 0, asked: 'ci\ntest\nrun test:all\n' })
  })

  it('names a file that passes alone as flaky', () => {
    const { status, stdout, asked } = run({ all: ['test/a.test.ts', 'test/b.test.ts'] })
    expect({ status, asked }).toEqual({
      status: 0,
      asked: 'ci\ntest\nrun test:all\nrun test:all -- test/a.test.ts\nrun test:all -- test/b.test.ts\n',
    })
    expect(stdout).toContain('flaky: test/a.test.ts\n')
    expect(stdout).toContain('flaky files: 2\n')
  })

  it.each([
    ['a file that fails alone too', { all: ['test/a.test.ts', 'test/b.test.ts'], alone: 'test/b.test.ts' }],
    ['more than three files', { all: ['1', '2', '3', '4'] }],
    ['what is of no file', { all: [] }],
    ['a test for people', { people: true }],
  ])('fails for %s', (_, failures) => {
    expect(run(failures).status).toBe(1)
  })
})
