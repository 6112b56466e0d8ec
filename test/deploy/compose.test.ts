import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../shared/runtime/settings/config.ts'
import { settings } from '../../shared/runtime/settings/settings.ts'
import { documents, readDocument } from '../support/documents.ts'
import { has, needs } from '../support/helper-programs.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { readDockerfile } from './read-dockerfile.ts'

interface Service {
  image: string
  build?: { context: string; dockerfile: string; target: string }
  user?: string
  entrypoint?: string[]
  command?: string[]
  read_only?: boolean
  init?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  container_name?: string
  ports?: string[]
  environment?: Record<string, string | number>
  secrets?: string[]
  volumes?: string[]
  tmpfs?: string[]
  networks: string[]
  healthcheck?: { test?: string[]; disable?: boolean }
  depends_on?: Record<string, { condition: string }>
  deploy: { resources: { limits: { cpus: string; memory: string; pids: number } } }
}

interface Compose {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean } | null>
  volumes: Record<string, unknown>
  secrets: Record<string, { file: string }>
}

const text = readFileSync(join(repositoryRoot, 'docker-compose.yml'), 'utf8')
const compose = parse(text, { merge: true }) as Compose
const services = Object.entries(compose.services)
const ours = services.filter(([, { build }]) => build)

let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'action-gate-compose-'))
  if (has('openssl'))
    execFileSync(join(repositoryRoot, 'api/deploy/make-secrets.sh'), [join(directory, 'secrets')])
})
beforeEach(context => needs(context, 'openssl'))

afterAll(() => rmSync(directory, { recursive: true }))

/** What documents have a person export for `curl` and commands: Compose reads the same shell. */
it('reads no variable that documents export for the calls of a person', () => {
  const read = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? ''))
  const exported = documents().flatMap(path =>
    [...readDocument(path).matchAll(/export (.*)/g)].flatMap(
      ([, rest = '']) => rest.match(/\b[A-Z_]+(?==)/g) ?? [],
    ),
  )
  expect(exported).toContain('ACTION_GATE_URL')
  expect(exported.filter(name => read.has(name))).toEqual([])
})

describe('docker-compose.yml', () => {
  it('has these services', () => {
    const names = ['postgres', 'redis', 'migrate', 'api', 'balancer', 'worker']
    expect(Object.keys(compose.services)).toEqual(names)
  })

  it.each(services)('%s is hardened', (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      init: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      user: expect.stringMatching(/^(1000:1000|postgres|redis)$/),
    })
    expect(service).not.toHaveProperty('privileged')
    expect(service.tmpfs?.every(mount => /:size=\d+m/.test(mount))).toBe(true)
    const { cpus, memory, pids } = service.deploy.resources.limits
    expect([Number(cpus) > 0, /^\d+[mg]$/.test(memory), pids > 0]).toEqual([true, true, true])
  })

  it.each(services)('%s has an exact image and refers to what is defined', (_, service) => {
    expect(service.image).toMatch(
      /^((postgres|redis|caddy):\d+\.\d+(\.\d+)?-\w+|action-gate-(api|worker):\$\{.+\})$/,
    )
    const mounted = service.volumes?.map(volume => volume.split(':')[0] ?? '') ?? []
    const named = mounted.filter(name => !name.startsWith('.'))
    expect(named.filter(name => !(name in compose.volumes))).toEqual([])
    expect(service.networks.filter(name => !(name in compose.networks))).toEqual([])
    expect((service.secrets ?? []).filter(name => !(name in compose.secrets))).toEqual([])
    expect(Object.keys(service.depends_on ?? {}).filter(name => !(name in compose.services))).toEqual([])
  })

  it('every service says how it is, or ends: and nobody waits for one that does not', () => {
    const stages = readDockerfile(readFileSync(join(repositoryRoot, 'api/Dockerfile'), 'utf8'))
    for (const [name, { build, healthcheck }] of services) {
      const stage = stages.find(one => one.name === build?.target)
      const inImage = stage?.instructions.some(({ word }) => word === 'HEALTHCHECK') ?? false
      expect([name, healthcheck?.test !== undefined || inImage]).toEqual([name, true])
    }
    expect(compose.services.migrate?.healthcheck).toEqual({ disable: true })
    for (const name of ['api', 'worker']) {
      expect(compose.services[name]?.depends_on).toEqual({
        migrate: { condition: 'service_completed_successfully' },
        postgres: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
      })
    }
  })

  it.each(['api', 'worker'])('can have any number of %s: no name, no port of the host', name => {
    expect(compose.services[name]).not.toHaveProperty('container_name')
    expect(compose.services[name]).not.toHaveProperty('ports')
  })

  it('has one door: the balancer, which passes what one API refuses to another', () => {
    const published = services.flatMap(([, { ports }]) => ports ?? [])
    expect(published).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)])
    const { balancer, api } = compose.services
    expect(balancer?.ports).toEqual(published)
    const settings = readFileSync(join(repositoryRoot, balancer?.volumes?.[0]?.split(':')[0] ?? ''), 'utf8')
    expect(settings).toContain('dynamic a api 8080')
    const [, minor, patch] = /^caddy:2\.(\d+)\.(\d+)-/.exec(balancer?.image ?? '')?.map(Number) ?? []
    const closesBodies = 'before 2.11.2 a POST whose connection was refused is lost'
    expect((minor ?? 0) * 1_000 + (patch ?? 0), closesBodies).toBeGreaterThanOrEqual(11_002)
    expect(settings, 'longer than the slowest start that was seen').toMatch(/lb_try_duration [2-5]m$/m)
    expect(String(api?.environment?.SERVICE_TRUST_PROXY)).toContain(':-1}')
    expect(api?.environment?.SERVICE_ADDRESS_CONNECTIONS_MAX).toBe(api?.environment?.SERVICE_CONNECTIONS_MAX)
  })

  it('keeps Postgres and Redis on a network without a way out', () => {
    expect(compose.networks.data).toEqual({ internal: true })
    for (const name of ['postgres', 'redis', 'migrate'])
      expect(compose.services[name]?.networks).toEqual(['data'])
  })

  it('has no secret in it but by file, and gives each to whom it is for', () => {
    expect(text).not.toMatch(/:\/\/\w*:\w+@/)
    const holders = (secret: string) =>
      services.filter(([, service]) => service.secrets?.includes(secret)).map(([name]) => name)
    expect(holders('signing_key')).toEqual(['worker'])
    expect(holders('secrets_key')).toEqual(['worker'])
    expect(holders('secrets_public_key')).toEqual(['api'])
    expect(holders('database_owner_url')).toEqual(['postgres', 'migrate'])
    expect(holders('postgres_password')).toEqual(['postgres'])
    expect(readdirSync(join(directory, 'secrets')).sort()).toEqual(Object.keys(compose.secrets).sort())
  })

  it.each(ours)('%s has settings that the service takes, and secrets that it was given', (_, service) => {
    const environment = Object.entries(service.environment ?? {}).map(([name, value]) => [
      name,
      String(value),
    ])
    const known = new Set<string>(Object.values(settings).flatMap(({ env }) => [env, `${env}_FILE`]))
    expect(environment.map(([name]) => name).filter(name => !known.has(name ?? ''))).toEqual([])
    const named = environment.flatMap(([, value]) => /^\/run\/secrets\/(.*)$/.exec(value ?? '')?.[1] ?? [])
    expect(named.sort()).toEqual([...(service.secrets ?? [])].sort())
    const here = environment.map(([name, value = '']) => [
      name,
      value.replace('/run/secrets', join(directory, 'secrets')).replaceAll(/\$\{\w+:-(.*?)\}/g, '$1'),
    ])
    expect(readConfig(Object.fromEntries(here))).toMatchObject({
      redis_url: expect.stringMatching(/^redis:\/\/:[0-9a-f]{48}@redis:6379$/),
      database_url: expect.stringMatching(/^postgres:\/\/action_gate_runtime:[0-9a-f]{48}@postgres\/gate$/),
    })
  })

  it('starts Redis with the password of its URL, without eviction, and with a file', () => {
    const [shell = '', , script = ''] = compose.services.redis?.command ?? []
    const here = script
      .replaceAll('/tmp/redis.conf', join(directory, 'redis.conf'))
      .replace('/run/secrets', join(directory, 'secrets'))
    writeFileSync(join(directory, 'redis-server'), '#!/bin/sh\ncat "$1"; echo "$@"\n', { mode: 0o755 })
    const told = execFileSync(shell, ['-c', here], {
      env: { PATH: `${directory}:${process.env.PATH}` },
    }).toString()
    const password = /:([0-9a-f]{48})@/.exec(readFileSync(join(directory, 'secrets/redis_url'), 'utf8'))?.[1]
    expect(told.split('\n')[0]).toBe(`requirepass ${password}`)
    expect(told.split('\n')[1]).toMatch(/--appendonly yes .*--maxmemory-policy noeviction$/)
    expect(statSync(join(directory, 'redis.conf')).mode & 0o077).toBe(0)
  })

  it('gives a process longer to end than it takes', () => {
    const { api, worker } = compose.services as unknown as Record<
      string,
      Service & { stop_grace_period: string }
    >
    const milliseconds = (name: string, service: Service | undefined) =>
      Number(service?.environment?.[name] ?? Object.values(settings).find(({ env }) => env === name)?.preset)
    const grace = (service: { stop_grace_period: string } | undefined) =>
      Number.parseInt(service?.stop_grace_period ?? '', 10) * 1000
    const end = (service: Service | undefined) =>
      milliseconds('SERVICE_DRAIN_MS', service) + milliseconds('SERVICE_SHUTDOWN_MS_MAX', service)
    const cutOffAfter = 8_000
    expect(grace(api)).toBeGreaterThan(end(api) + cutOffAfter)
    expect(grace(worker)).toBeGreaterThan(end(worker) + cutOffAfter)
    expect(milliseconds('SERVICE_SHUTDOWN_MS_MAX', worker)).toBeGreaterThan(
      milliseconds('SERVICE_EXECUTION_MS_MAX', worker),
    )
  })
})

describe('api/deploy/postgres-start.sh', () => {
  const { postgres } = compose.services
  const place = (name: string) => join(directory, 'volume', name)
  const program = () => join(directory, 'docker-entrypoint.sh')
  const first = () => [existsSync(place('first-start')), existsSync(place('18/docker/PG_VERSION'))]
  /** What the image does with an empty directory and with a made one, as far as the given step. */
  const start = (until: 'cut off' | 'served') => {
    const logins = until === 'served' ? 'grep -q ^rm "$LOGINS" && eval "$(grep ^rm "$LOGINS")"' : 'exit 1'
    const made = `[ -s "$PGDATA/PG_VERSION" ] || { mkdir -p "$PGDATA"; echo 18 > "$PGDATA/PG_VERSION"; ${logins}; }`
    writeFileSync(program(), `#!/bin/sh\n${made}\necho "$@"\n`, { mode: 0o755 })
    const LOGINS = join(repositoryRoot, 'api/deploy/postgres-logins.sh')
    const env = { PATH: `${directory}:${process.env.PATH}`, PGDATA: place('18/docker'), LOGINS }
    const file = join(repositoryRoot, 'api/deploy', basename(postgres?.entrypoint?.[0] ?? ''))
    const { status, stdout } = spawnSync(file, postgres?.command ?? [], { env, encoding: 'utf8' })
    return status === 0 ? stdout.trim() : status
  }

  beforeEach(() => {
    rmSync(place(''), { recursive: true, force: true })
    mkdirSync(place(''))
  })

  it('begins a first start anew that was cut off, and keeps a database that served', () => {
    expect([start('cut off'), first()]).toEqual([1, [true, true]])
    expect([start('cut off'), first()]).toEqual([1, [true, true]])
    expect([start('served'), first()]).toEqual([postgres?.command?.join(' '), [false, true]])
    writeFileSync(place('18/docker/kept'), '')
    expect([start('cut off'), first()]).toEqual([postgres?.command?.join(' '), [false, true]])
    expect(existsSync(place('18/docker/kept'))).toBe(true)
  })

  it('removes nothing that it did not see begin', () => {
    mkdirSync(place('18/docker'), { recursive: true })
    writeFileSync(place('18/docker/kept'), '')
    start('cut off')
    start('cut off')
    expect(existsSync(place('18/docker/kept'))).toBe(true)
  })
})

describe('api/deploy/make-secrets.sh', () => {
  it('makes each once, in a directory for nobody else', () => {
    const place = join(directory, 'again')
    const make = () => execFileSync(join(repositoryRoot, 'api/deploy/make-secrets.sh'), [place])
    make()
    const all = () => readdirSync(place).map(name => readFileSync(join(place, name), 'utf8'))
    const first = all()
    writeFileSync(join(place, 'redis_url'), 'redis://mine')
    make()
    expect(all().filter(content => !first.includes(content))).toEqual(['redis://mine'])
    expect(statSync(place).mode & 0o777).toBe(0o700)
    expect(new Set(first).size).toBe(first.length)
  })
})
