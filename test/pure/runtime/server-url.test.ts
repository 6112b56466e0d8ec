import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../../shared/runtime/settings/config.ts'
import { readFlags } from '../../../shared/runtime/settings/flags.ts'
import { shownAddress } from '../../../shared/runtime/settings/setting.ts'

/** Passwords as somebody writes them who does not know that they are a part of a URL. */
const unclear = [
  'postgres://gate:s3c/ret@host/gate',
  'postgres://gate:33/ret@host/gate',
  'postgres://gate:s3c?ret@host/gate',
  'postgres://gate:s3c#ret@host/gate',
  'postgres://gate:33#ret@host/gate',
  'postgres://gate:s3c%ret@host/gate',
  'postgres://gate:s@3c/ret@host/gate',
]

describe('an address that is shown', () => {
  it.each([
    ['postgres://gate:s3cret@host:5432/gate', 'postgres://host:5432/gate'],
    ['postgres://gate:s3@cret@host/gate', 'postgres://host/gate'],
    ['postgres://host/gate?user=gate&password=s3cret', 'postgres://host/gate'],
    [
      'postgres://gate@/gate?host=/run/postgres&password=s3cret',
      'postgres://localhost/gate?host=/run/postgres',
    ],
    ['redis://:s3cret@host:6379/2', 'redis://host:6379/2'],
  ])('%s hides its password', (url, shown) => {
    expect(shownAddress(url)).toBe(shown)
  })

  it.each([...unclear, 'postgres://gate:33?ret@host/gate', 'postgres://host/gate?user=gate&password=s3@ret'])(
    '%s says nothing but the scheme',
    url => {
      expect(shownAddress(url)).toBe('postgres://…')
    },
  )
})

it('an address may have an @ among its parameters', () => {
  const url = 'postgres://gate:s3cret@host/gate?application_name=gate@here'
  expect(readConfig({ DATABASE_URL: url }).database_url).toBe(url)
})

describe('an address of which it is not clear where its password ends', () => {
  it.each(unclear)('%s is refused by its setting, and not repeated', url => {
    const redis = url.replace('postgres:', 'redis:')
    for (const read of [
      () => readConfig({ DATABASE_URL: url }),
      () => readConfig({ DATABASE_OWNER_URL: url }),
      () => readConfig({ REDIS_URL: redis }),
      () => readFlags(['--tenant-db', url], 'service'),
    ]) {
      expect(read).toThrow(ConfigError)
      expect(read).toThrow(/^(DATABASE_URL|DATABASE_OWNER_URL|REDIS_URL|--tenant-db): must be a URL; write/)
      expect(read).not.toThrow(/s3|ret/)
    }
  })
})
