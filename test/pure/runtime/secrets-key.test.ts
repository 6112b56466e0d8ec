import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSecretsKeys } from '../../../shared/runtime/secrets/secrets-key.ts'
import { ConfigError, readConfig } from '../../../shared/runtime/settings/config.ts'
import { needs } from '../../support/helper-programs.ts'

let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'action-gate-key-'))
})

afterAll(() => rmSync(directory, { recursive: true }))

const pair = () =>
  generateKeyPairSync('x25519', {
    publicKeyEncoding: { format: 'pem', type: 'spki' },
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
  })

function opened(environment: Record<string, string>, embedded: { directory: string | null } | null = null) {
  const { sealing, opening } = openSecretsKeys(readConfig(environment), embedded)
  return { sealing: sealing?.id ?? null, opening: opening.map(({ id }) => id) }
}

function refusal(environment: Record<string, string>): string {
  try {
    opened(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'nothing was refused'
}

describe('the keys for secrets of tenants', () => {
  it('a worker opens with each of its keys, and the newest is sealed to', () => {
    const [old, fresh] = [pair(), pair()]
    const { sealing, opening } = opened({ SERVICE_SECRETS_KEY: old.privateKey + fresh.privateKey })
    expect(opening).toHaveLength(2)
    expect(sealing).toBe(opening[1])
    expect(opened({ SERVICE_SECRETS_KEY: old.privateKey }).opening).toEqual(opening.slice(0, 1))
  })

  it('an API has the public key alone, and opens nothing', () => {
    const { privateKey, publicKey } = pair()
    const worker = opened({ SERVICE_SECRETS_KEY: privateKey })
    expect(opened({ SERVICE_SECRETS_PUBLIC_KEY: publicKey })).toEqual({
      sealing: worker.sealing,
      opening: [],
    })
    expect(opened({})).toEqual({ sealing: null, opening: [] })
  })

  it('are those that openssl makes', context => {
    needs(context, 'openssl')
    const file = join(directory, 'openssl.pem')
    execFileSync('openssl', ['genpkey', '-algorithm', 'X25519', '-out', file])
    const shown = execFileSync('openssl', ['pkey', '-in', file, '-pubout'], { encoding: 'utf8' })
    const worker = opened({ SERVICE_SECRETS_KEY_FILE: file })
    expect(opened({ SERVICE_SECRETS_PUBLIC_KEY: shown }).sealing).toBe(worker.sealing)
  })

  it('stand beside an embedded database, and go with a temporary one', () => {
    const first = opened({}, { directory })
    expect(first).toEqual({ sealing: expect.any(String), opening: [first.sealing] })
    const file = join(directory, 'secrets-key.pem')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    chmodSync(file, 0o644)
    expect(opened({}, { directory })).toEqual(first)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(opened({}, { directory: null }).sealing).not.toBe(opened({}, { directory: null }).sealing)
  })

  const signing = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { format: 'pem', type: 'spki' },
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
  })
  const one = pair()

  it.each([
    ['no key', { SERVICE_SECRETS_KEY: 'x' }, 'there is no key'],
    ['the same key twice', { SERVICE_SECRETS_KEY: one.privateKey.repeat(2) }, 'the same key comes twice'],
    ['a key that signs', { SERVICE_SECRETS_KEY: signing.privateKey }, 'not one of X25519'],
    ['a public key that signs', { SERVICE_SECRETS_PUBLIC_KEY: signing.publicKey }, 'not one of X25519'],
    [
      'the private key for the API',
      { SERVICE_SECRETS_PUBLIC_KEY: one.privateKey },
      'belongs to workers alone',
    ],
  ])('%s is refused by the name of its setting, and not shown', (_, environment, words) => {
    const message = refusal(environment)
    expect(message).toContain(Object.keys(environment)[0])
    expect(message).toContain(words)
    expect(message).not.toContain('BEGIN')
  })
})
