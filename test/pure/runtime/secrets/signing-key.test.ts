import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSigning } from '../../../../shared/runtime/secrets/service-keys.ts'
import { ConfigError, readConfig } from '../../../../shared/runtime/settings/config.ts'
import { testKeyPem } from '../../../support/audit/signing-key.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signing-key-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const open = (env: Record<string, string>) => openSigning(readConfig(env), null)

describe('keys of the settings', () => {
  it('stand one after another, with what other programs write around them', () => {
    const text = `Bag Attributes\n${testKeyPem(1)}\nfriendlyName: new\n${testKeyPem(2)}`
    expect(open({ SERVICE_SIGNING_KEY: text })?.keys).toHaveLength(2)
  })

  it.each([
    ['one that comes twice', testKeyPem(1) + testKeyPem(1), 'the same key comes twice'],
    ['one that is cut off', testKeyPem(1) + testKeyPem(2).slice(0, 60), 'cannot be used'],
    ['none', 'secret text', 'there is no key'],
    ['one that is no key', testKeyPem(1).replace('MC4C', 'AAAA'), 'cannot be used'],
  ])('are refused where there is %s, and are not told', (_, text, problem) => {
    const opening = () => open({ SERVICE_SIGNING_KEY: text })
    expect(opening).toThrow(ConfigError)
    expect(opening).toThrow(problem)
    expect(opening).not.toThrow(/secret text|MC4C|AAAA/)
  })

  it('are of no use where it cannot be kept what they signed', () => {
    const env = { SERVICE_SIGNING_KEY: testKeyPem(), SERVICE_SIGNED_LOGS_FILE: join(directory, 'no', 'file') }
    expect(() => open(env)).toThrow('SERVICE_SIGNED_LOGS_FILE: cannot be used')
  })
})

describe('the key of an embedded database', () => {
  const path = () => join(directory, 'signing-key.pem')
  const embedded = () => openSigning(readConfig({}), { directory })

  it('is made once, for its owner alone', () => {
    const made = embedded()?.keys[0]?.privateKey.publicKey.bytes
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(embedded()?.keys[0]?.privateKey.publicKey.bytes).toEqual(made)
  })

  it('is hidden again where others could read it', () => {
    embedded()
    const text = readFileSync(path(), 'utf8')
    chmodSync(path(), 0o644)
    embedded()
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(readFileSync(path(), 'utf8')).toBe(text)
  })

  it('is made anew where the first start ended in the middle of it', () => {
    writeFileSync(`${path()}.new`, '-----BEGIN PRIV')
    expect(embedded()?.keys).toHaveLength(1)
  })
})
