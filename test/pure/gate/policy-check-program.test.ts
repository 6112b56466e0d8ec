import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { fixtureSchema } from '../../../shared/contract/configuration/fixture-schema.ts'
import { readXml } from '../../support/fixtures/read-xml.ts'
import { repositoryRoot } from '../../support/repository-root.ts'

const program = join(repositoryRoot, 'dist/api/bin/service-policy-check.js')
const ours = join(repositoryRoot, 'test/cases/fixtures')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'policy-check-'))
  write('good.json', fixture('all is well', []))
  write('bad.json', fixture('one <differs> & "more"', [wrong]))
  write('set/a.yaml', JSON.stringify(JSON.parse(fixture('in YAML', []))))
  write('set/deeper/b.yml', 'name: 1')
  write('set/deeper/.hidden.json', '{')
  write('set/notes.txt', 'no fixture')
  write('clean/one.json', fixture('one', []))
  write('clean/deeper/two.yml', fixture('two', []))
  write('none/readme.md', 'no fixture')
  write('broken.json', '{"name": "x", "name": "y"}')
  write('unknown.json', JSON.stringify({ ...JSON.parse(fixture('x', [])), surprise: 1 }))
  symlinkSync(join(folder, 'clean'), join(folder, 'clean/deeper/circle'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('exit codes', () => {
  it('0 where all is as expected, for files and directories', async () => {
    const { code, stdout, stderr } = await check(['good.json', 'clean', ours])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`${join('clean', 'deeper', 'two.yml')}: two\n  ok    at low risk`)
    expect(stdout).toContain('0 different')
  })

  it('1 where something differs', async () => {
    const { code, stdout } = await check(['good.json', 'bad.json'])
    expect(code).toBe(1)
    expect(stdout).toContain('3 cases in 2 fixtures: 2 as expected, 1 different')
  })

  it.each([
    { name: 'no argument', args: [], told: 'name a fixture or a directory' },
    { name: 'an unknown option', args: ['--quiet', 'good.json'], told: '--quiet' },
    { name: 'an unknown format', args: ['--format', 'xml', 'good.json'], told: 'unknown format xml' },
    {
      name: 'a format of the prototype',
      args: ['--format', 'toString', 'good.json'],
      told: 'unknown format',
    },
    { name: 'a file that is not there', args: ['missing.json'], told: 'missing.json: cannot be read' },
    { name: 'a directory without a fixture', args: ['none'], told: 'none: holds no *.json' },
    { name: 'no strict JSON', args: ['broken.json'], told: 'broken.json: name: duplicate_key: ' },
    { name: 'an unknown field', args: ['unknown.json'], told: 'unknown.json: surprise: unknown_field: ' },
    { name: 'one bad file of several', args: ['bad.json', 'set'], told: 'b.yml: name: invalid_type: ' },
  ])('2 for $name, and nothing on standard output', async ({ args, told }) => {
    const { code, stdout, stderr } = await check(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(told)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('a file that is named twice is checked once', async () => {
    const { stdout } = await check(['good.json', 'good.json'])
    expect(stdout).toContain('1 case in 1 fixture')
  })

  it('strict mode is asked for', async () => {
    expect((await check(['--strict', 'good.json'])).code).toBe(1)
  })

  it('help is no error', async () => {
    expect(await check(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Exit codes') })
  })
})

describe('formats', () => {
  const both = ['good.json', 'bad.json']

  it('text shows expected, actual and what decided', async () => {
    const { stdout } = await check(['bad.json'])
    expect(stdout.split('\n').slice(1, 10)).toEqual([
      '  ok    at low risk',
      '  DIFF  # 51 \\ & <no>',
      '        decision',
      '          expected  allow',
      '          actual    deny',
      '        blocking_reason',
      '          expected  "x" > 1',
      '          actual    parameter_above_max: amount must be at most 50',
      '        decided by parameter_max at action.parameters.amount: amount must be at most 50',
    ])
    expect(stdout).toContain('1 of 3 operations of the policy are exercised (33 %, rounded down)')
    expect(stdout).toContain('  not exercised: pay charge')
  })

  it('json is the whole report', async () => {
    const { code, stdout } = await check(['--format', 'json', ...both])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      result: 'different',
      cases: 3,
      different: 1,
      coverage: { exercised: 1, operations: 3, percent: 33, missing: ['pay charge', 'pay void'] },
      fixtures: [
        { file: 'good.json' },
        { file: 'bad.json', cases: [{ differences: [] }, { decision: 'deny' }] },
      ],
    })
  })

  it('tap has a plan, a line for each case and diagnostics in YAML', async () => {
    const { stdout } = await check(['--format=tap', ...both])
    const lines = stdout.split('\n')
    expect(lines.slice(0, 2)).toEqual(['TAP version 14', '1..3'])
    expect(lines.filter(line => /^(not )?ok /.test(line))).toEqual([
      'ok 1 - good.json / at low risk',
      'ok 2 - bad.json / at low risk',
      'not ok 3 - bad.json / \\# 51 \\\\ & <no>',
    ])
    const [diagnostics = ''] = stdout.match(/(?<= {2}---\n)[\s\S]*(?= {2}\.\.\.)/) ?? []
    expect(parse(diagnostics)).toEqual({
      differences: [
        { field: 'decision', expected: 'allow', actual: 'deny' },
        {
          field: 'blocking_reason',
          expected: '"x" > 1',
          actual: 'parameter_above_max: amount must be at most 50',
        },
      ],
      decided_by: ['parameter_max at action.parameters.amount: amount must be at most 50'],
    })
    const known = /^(TAP version 14|1\.\.3|(not )?ok \d+ - .*|# .*| {2}.*|)$/
    expect(lines.filter(line => !known.test(line))).toEqual([])
  })

  it('junit is well-formed XML with a suite for each fixture', async () => {
    const { stdout } = await check(['--format', 'junit', ...both])
    const root = readXml(stdout)
    expect(root).toMatchObject({ name: 'testsuites', attributes: { tests: '3', failures: '1', errors: '0' } })
    const [good, bad] = root.children
    expect(good?.attributes).toMatchObject({ name: 'all is well', tests: '1', failures: '0' })
    expect(bad?.attributes).toMatchObject({ name: 'one <differs> & "more"', tests: '2', failures: '1' })
    const failed = bad?.children[1]
    expect(failed?.attributes.name).toBe('# 51 \\ & <no>')
    expect(failed?.children[0]).toMatchObject({ name: 'failure', attributes: { type: 'decision' } })
    expect(failed?.children[0]?.text).toContain(
      'blocking_reason: expected "x" > 1, actual parameter_above_max',
    )
  })

  it('characters that XML cannot hold are replaced', async () => {
    write('odd.json', fixture('odd \u0001 \u{1f600} \uffff\nname', []))
    const { stdout } = await check(['--format', 'junit', 'odd.json'])
    expect(readXml(stdout).children[0]?.attributes.name).toBe('odd \ufffd \u{1f600} \ufffd\nname')
  })
})

const wrong = {
  name: '# 51 \\ & <no>',
  proposal: proposal({ amount: 51 }),
  expect: { decision: 'allow', blocking_reason: '"x" > 1' },
}

function fixture(name: string, more: object[]): string {
  const policy = {
    allowed_systems: ['pay'],
    allowed_operations: { pay: ['charge', 'refund', 'void'] },
    parameter_constraints: { pay: { refund: { amount: { max: 50 } } } },
    approval_required_at: 'medium',
    review_route: 'leads',
  }
  const first = { name: 'at low risk', proposal: proposal({ amount: 5 }), expect: { decision: 'allow' } }
  const cases = [first, ...more]
  return JSON.stringify(fixtureSchema.parse({ name, policy, cases }))
}

function proposal(parameters: object) {
  return {
    proposal_id: 'p-1',
    actor: { agent_id: 'agent' },
    summary: 'a case',
    action: { target_system: 'pay', operation: 'refund', parameters },
    risk: { level: 'low' },
  }
}

function write(name: string, content: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
}

function check(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve => {
    execFile(process.execPath, [program, ...args], { cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}
