import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import {
  openActuatorSecrets,
  type SecretPlaces,
} from '../../../../shared/runtime/secrets/actuator-secrets.ts'
import { ConfigError } from '../../../../shared/runtime/settings/config.ts'

const home = mkdtempSync(join(tmpdir(), 'action-gate-secrets-'))
let directory: string
let time = 0

beforeEach(() => {
  directory = mkdtempSync(join(home, 'of-'))
})

afterAll(() => rmSync(home, { recursive: true }))

/** As an operator replaces one: the new file takes the place of the old one in a single step. */
function put(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
  return path
}

function open(environment: SecretPlaces['environment'], ofDirectory?: string) {
  return openActuatorSecrets({ environment: environment ?? {}, directory: ofDirectory, now: () => time })
}

function issuesOf(read: () => unknown): unknown {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return error.issues
    throw error
  }
  return 'nothing was refused'
}

describe('a secret by the name of a variable', () => {
  it('is of the environment, else of its file, else of the directory', () => {
    const path = put('token', 'of its file\n')
    for (const name of ['ACTUATOR_A', 'ACTUATOR_B', 'ACTUATOR_C']) put(name, 'of the directory\r\n')
    const secrets = open(
      { ACTUATOR_A: 'of the environment', ACTUATOR_B_FILE: path, HOME: '/root' },
      directory,
    )
    expect([...secrets.keys()].sort()).toEqual(['ACTUATOR_A', 'ACTUATOR_B', 'ACTUATOR_C'])
    expect(['ACTUATOR_A', 'ACTUATOR_B', 'ACTUATOR_C'].map(secrets.get)).toEqual([
      'of the environment',
      'of its file',
      'of the directory',
    ])
  })

  it('reaches no other variable and no other file', () => {
    put('OTHER', 'x')
    const secrets = open({ HOME: '/root', DATABASE_URL: 'postgres://x' }, join(directory))
    const names = [
      'HOME',
      'DATABASE_URL',
      'OTHER',
      '../x',
      'ACTUATOR_/../OTHER',
      'ACTUATOR_NONE',
      '__proto__',
    ]
    expect(names.map(secrets.get)).toEqual(names.map(() => undefined))
    expect([...secrets.keys()]).toEqual([])
  })

  it('is refused by name where its file is unreadable, or the value is there too', () => {
    expect(issuesOf(() => open({ ACTUATOR_X_FILE: join(directory, 'none') }))).toMatchObject([
      { path: 'ACTUATOR_X_FILE', code: 'unreadable_file' },
    ])
    expect(issuesOf(() => open({ ACTUATOR_X: 'a', ACTUATOR_X_FILE: put('x', 'b') }))).toMatchObject([
      { path: 'ACTUATOR_X_FILE', code: 'ambiguous' },
    ])
    expect(issuesOf(() => open({}, join(directory, 'none')))).toMatchObject([
      { path: 'SERVICE_ACTUATOR_SECRETS_DIR', code: 'unreadable_directory' },
    ])
  })
})

describe('a file that changes', () => {
  it.each([
    ['of a variable', (path: string) => open({ ACTUATOR_X_FILE: path })],
    ['of the directory', () => open({}, directory)],
  ])('%s is read again within a second', (_, opened) => {
    const secrets = opened(put('ACTUATOR_X', 'one'))
    expect(secrets.get('ACTUATOR_X')).toBe('one')
    put('ACTUATOR_X', 'two')
    time += 999
    expect(secrets.get('ACTUATOR_X')).toBe('one')
    time += 1
    expect(secrets.get('ACTUATOR_X')).toBe('two')
  })

  it.each([
    ['is gone', () => rmSync(join(directory, 'ACTUATOR_X'))],
    ['is empty', () => put('ACTUATOR_X', '\n')],
    ['is too large', () => put('ACTUATOR_X', 'x'.repeat(65_537))],
  ])('holds no secret once it %s, and again when it is back', (_, change) => {
    const secrets = open({ ACTUATOR_X_FILE: put('ACTUATOR_X', 'one') })
    expect(secrets.has('ACTUATOR_X')).toBe(true)
    change()
    time += 1_000
    expect([secrets.has('ACTUATOR_X'), ...secrets.keys()]).toEqual([false])
    put('ACTUATOR_X', 'two')
    time += 1_000
    expect(secrets.get('ACTUATOR_X')).toBe('two')
  })

  it('is found where it was added to the directory later', () => {
    const secrets = open({}, directory)
    expect(secrets.get('ACTUATOR_LATE')).toBeUndefined()
    put('ACTUATOR_LATE', 'here')
    time += 1_000
    expect([...secrets.keys()]).toEqual(['ACTUATOR_LATE'])
    expect(secrets.get('ACTUATOR_LATE')).toBe('here')
  })
})
