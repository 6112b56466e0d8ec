import { spawnSync } from 'node:child_process'
import express, { type Request } from 'express'
import { describe, expect, it } from 'vitest'
import { trustedProxies } from '../../../api/http/app.ts'
import { addressOf } from '../../../api/http/rate-limit.ts'
import { ConfigError, readConfig } from '../../../shared/runtime/settings/config.ts'

describe('the flag --disable-proto=throw, with which processes are started', () => {
  it('is one that Node has: __proto__ cannot be read or set', () => {
    const script = 'try { ({}).__proto__.polluted = 1 } catch ({ code }) { process.stdout.write(code) }'
    const { stdout } = spawnSync(process.execPath, ['--disable-proto=throw', '-e', script])
    expect(stdout.toString()).toBe('ERR_PROTO_ACCESS')
  })
})

describe('SERVICE_TRUST_PROXY', () => {
  const refused = [
    'true',
    'yes',
    'loopback',
    '*',
    'abc',
    '1.2.3',
    '1.2.3.4/0',
    '1.2.3.4/33',
    '::1/129',
    '1 2',
    '...',
  ]
  it.each([...refused, '1.2.3.4/1.2.3.4', '1.2.3.4/8/8', '::1/255.0.0.0', '123', ':'])(
    '%s is refused: only hops or addresses say who is believed',
    text => {
      expect(() => readConfig({ SERVICE_TRUST_PROXY: text })).toThrow(ConfigError)
    },
  )
})

describe('what is taken for proxies', () => {
  it.each(['1', '10.0.0.0/8, ::1', '10.0.0.1 fd00::/8', '10.0.0.0/255.0.0.0', '::ffff:10.0.0.1', ''])(
    '%s is understood by express too',
    text => {
      const { trust_proxy } = readConfig({ SERVICE_TRUST_PROXY: text })
      expect(() => express().set('trust proxy', trustedProxies(trust_proxy))).not.toThrow()
    },
  )
})

describe('the address that limits count', () => {
  const of = (ip: string) => addressOf({ ip } as Request)

  it('of IPv6 is the network that one customer has: a /64', () => {
    expect(of('2001:db8:1:2:3:4:5:6')).toBe(of('2001:db8:1:2:ffff::1'))
    expect(of('2001:db8:1:2::1')).not.toBe(of('2001:db8:1:3::1'))
  })

  it('of IPv4 is the whole of it, also where IPv6 carries it', () => {
    expect(of('198.51.100.7')).not.toBe(of('198.51.100.8'))
    expect(of('::ffff:198.51.100.7')).toBe(of('198.51.100.7'))
    expect(of('::ffff:198.51.100.7')).not.toBe(of('::ffff:198.51.100.8'))
  })
})
