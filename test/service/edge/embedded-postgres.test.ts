import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../../shared/runtime/embedded-postgres/embedded-postgres.ts'
import {
  serverAccount,
  spawnAs,
} from '../../../shared/runtime/embedded-postgres/embedded-postgres-account.ts'
import { systemProgram } from '../../support/helper-programs.ts'
import { type Child, runCompiled } from '../../support/platform/child.ts'
import { processesOf } from '../../support/platform/processes.ts'

const root = process.getuid?.() === 0
const started: EmbeddedPostgres[] = []
const children: ChildProcess[] = []
let seed: string
let place: string

beforeAll(async () => {
  seed = await makeDirectory()
  const server = await startEmbeddedPostgres({ directory: seed, durable: false })
  await server.stop()
})

afterAll(() => rm(seed, { recursive: true, force: true }))

beforeEach(async () => {
  place = await makeDirectory()
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of started.splice(0)) await server.stop()
  await expect.poll(() => processesOf(place), { timeout: 10_000 }).toEqual([])
  await rm(place, { recursive: true, force: true })
})

describe('a server', () => {
  test('takes connections on its private socket, speaks UTF-8 and sorts by code point', async () => {
    const server = await start({ directory: null })
    const [row] = await query(
      server,
      `select current_setting('listen_addresses') as addresses, current_setting('server_encoding') as encoding,
              current_setting('timezone') as zone, current_setting('max_connections') as connections,
              array(select x from unnest(array['b', 'B', 'a', 'ä']) x order by x) as sorted`,
    )
    expect(row).toEqual({
      addresses: '',
      encoding: 'UTF8',
      zone: 'UTC',
      connections: '100',
      sorted: ['B', 'a', 'b', 'ä'],
    })
    expect(statSync(server.socketDirectory).mode & 0o777).toBe(0o700)
  })

  test('without a directory leaves nothing after stop', async () => {
    const server = await start({ directory: null })
    await Promise.all([server.stop(), server.stop()])
    expect(existsSync(server.socketDirectory)).toBe(false)
    expect(processesOf(server.dataDirectory)).toEqual([])
  })

  test('without a directory is made where its parent is, if it may write there', async () => {
    await chmod(place, 0o777)
    const server = await start({ directory: null, parent: place })
    expect(dirname(server.dataDirectory)).toBe(server.socketDirectory)
    expect(dirname(server.socketDirectory)).toBe(place)
    await server.stop()
    expect(await readdir(place)).toEqual([])
    const elsewhere = await start({ directory: null, parent: join(place, 'missing') })
    expect(dirname(elsewhere.socketDirectory)).not.toBe(place)
  })

  test('keeps its data in its directory', async () => {
    await plantCluster()
    await remember(await start({ directory: place }), 'kept')
    await started[0]?.stop()
    expect(await recall(await start({ directory: place }))).toEqual(['kept'])
  })

  test('syncs its log to disk, unless durability was declined', async () => {
    const show = `select current_setting('fsync') || current_setting('synchronous_commit') as is`
    expect(await query(await start({ directory: place, durable: true }), show)).toEqual([{ is: 'onon' }])
    expect(await query(await start({ directory: null, durable: false }), show)).toEqual([{ is: 'offoff' }])
  })

  test('works under a path longer than a socket may have', async () => {
    const directory = join(place, 'd'.repeat(100), 'e'.repeat(100))
    await remember(await start({ directory }), 'deep')
    expect(await recall(started[0])).toEqual(['deep'])
  })

  test('tells when it ends by itself', async () => {
    await plantCluster()
    const server = await start({ directory: place })
    process.kill(await postmasterOf(server), 'SIGQUIT')
    expect(await server.exited).toBe(0)
    await server.stop()
    expect(await recall(await start({ directory: place }))).toEqual([])
  })

  test('dies with its guard', async () => {
    await plantCluster()
    const server = await start({ directory: place })
    const status = readFileSync(`/proc/${await postmasterOf(server)}/status`, 'utf8')
    process.kill(Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), 'SIGKILL')
    expect(await server.exited).toBe(null)
    await expect.poll(() => processesOf(place)).toEqual([])
  })

  test.runIf(root)('of a service that is root belongs to nobody', async () => {
    const server = await start({ directory: place })
    const nobody = await serverAccount()
    expect(nobody?.uid).toBeGreaterThan(0)
    expect(statSync(server.dataDirectory).uid).toBe(nobody?.uid)
    expect(statSync(`/proc/${await postmasterOf(server)}`).uid).toBe(nobody?.uid)
  })
})

describe('a directory in use', () => {
  test('is refused to a second process at once', { timeout: 10_000 }, async () => {
    await plantCluster()
    await start({ directory: place })
    const second = runParent(place)
    const refusal = await second.nextLine()
    expect(refusal.code).toBe('directory_in_use')
    expect(refusal.message).toContain(place)
  })

  test('goes to exactly one of several that start at the same time', async () => {
    const directory = join(place, 'new')
    const answers = await Promise.all([1, 2, 3].map(() => runParent(directory).nextLine()))
    expect(answers.map(answer => answer.code ?? 'started').sort()).toEqual([
      'directory_in_use',
      'directory_in_use',
      'started',
    ])
  })

  test('by a server that was started by hand is refused', async () => {
    const dataDirectory = await plantCluster()
    const other = await spawnSleeper(dataDirectory)
    await writeFile(join(dataDirectory, 'postmaster.pid'), `${other}\n${dataDirectory}\n`)
    await expect(start({ directory: place })).rejects.toMatchObject({ code: 'directory_in_use' })
    expect(existsSync(join(dataDirectory, 'postmaster.pid'))).toBe(true)
  })

  test('is not one whose recorded process id now belongs to another program', async () => {
    const dataDirectory = await plantCluster()
    const other = await spawnSleeper('/')
    await writeFile(join(dataDirectory, 'postmaster.pid'), `${other}\n${dataDirectory}\n`)
    expect(await recall(await start({ directory: place }))).toEqual([])
  })
})

describe('kill -9 of the service', () => {
  test('leaves no process, and the next start is clean and has what was committed', async () => {
    await plantCluster()
    const service = runParent(place)
    const { socketDirectory, dataDirectory } = await service.nextLine()
    await remember({ socketDirectory: String(socketDirectory) }, 'committed')
    expect(processesOf(String(dataDirectory))).not.toEqual([])
    await killHard(service)
    const next = await start({ directory: place })
    expect(await recall(next)).toEqual(['committed'])
    expect(existsSync(String(socketDirectory))).toBe(false)
    await next.stop()
    expect(processesOf(place)).toEqual([])
  })

  test('removes a temporary database', async () => {
    const service = runParent()
    const socketDirectory = String((await service.nextLine()).socketDirectory)
    await killHard(service)
    await expect.poll(() => existsSync(socketDirectory), { timeout: 10_000 }).toBe(false)
    await expect.poll(() => processesOf(socketDirectory), { timeout: 10_000 }).toEqual([])
  })

  test('during initdb does not spoil the directory', async () => {
    const service = runParent(place)
    const half = join(place, 'postgres.half')
    await expect.poll(() => existsSync(join(half, 'base')), { interval: 5, timeout: 10_000 }).toBe(true)
    await killHard(service)
    expect(existsSync(join(place, 'postgres'))).toBe(false)
    expect(await recall(await start({ directory: place }))).toEqual([])
    expect(existsSync(half)).toBe(false)
  })
})

describe('a directory that cannot be used', () => {
  test('with the remains of an initdb is made afresh', async () => {
    await mkdir(join(place, 'postgres.half', 'base'), { recursive: true })
    await writeFile(join(place, 'postgres.half', 'PG_VERSION'), '18\n')
    expect(await recall(await start({ directory: place }))).toEqual([])
  })

  test('because it is a file', async () => {
    const file = join(place, 'file')
    await writeFile(file, '')
    await expect(start({ directory: file })).rejects.toMatchObject({ code: 'directory_unusable' })
    await expect(start({ directory: join(file, 'x') })).rejects.toMatchObject({ code: 'directory_unusable' })
  })

  test.runIf(root)('because nobody may not enter a parent', async () => {
    await chmod(place, 0o700)
    const refused = { code: 'directory_unusable', message: expect.stringContaining('"nobody"') }
    await expect(start({ directory: join(place, 'inner') })).rejects.toMatchObject(refused)
  })

  test('because another version of PostgreSQL made it', async () => {
    const dataDirectory = await plantCluster()
    await writeFile(join(dataDirectory, 'PG_VERSION'), '14\n')
    const refused = { code: 'directory_unusable', message: expect.stringContaining('PostgreSQL 14') }
    await expect(start({ directory: place })).rejects.toMatchObject(refused)
  })

  test('because the server does not start on it: its last words are told', async () => {
    const dataDirectory = await plantCluster()
    await appendFile(join(dataDirectory, 'postgresql.conf'), '\nno_such_setting = 1\n')
    const refused = { code: 'start_failed', message: expect.stringContaining('no_such_setting') }
    await expect(start({ directory: place })).rejects.toMatchObject(refused)
  })
})

/** One that the server's account may enter, unlike what mkdtemp makes. */
async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-test-'))
  await chmod(directory, 0o755)
  return directory
}

/** Puts a copy of an empty cluster into the test's place, which is faster than making one. */
async function plantCluster(): Promise<string> {
  await promisify(execFile)(systemProgram('cp'), ['-a', join(seed, 'postgres'), place])
  return join(place, 'postgres')
}

async function start(options: Partial<EmbeddedPostgresOptions>): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ directory: place, durable: false, ...options })
  started.push(server)
  return server
}

function runParent(directory?: string): Child {
  const child = runCompiled(
    'test/support/servers/embedded-postgres-parent.ts',
    directory === undefined ? [] : [directory],
  )
  children.push(child.process)
  return child
}

async function killHard(child: Child): Promise<void> {
  child.process.kill('SIGKILL')
  await child.ended
}

/** A process of the server's account, so that PostgreSQL would take its id for a server's. */
async function spawnSleeper(directory: string): Promise<number> {
  const account = await serverAccount()
  const child = spawn('/bin/sh', ['-c', 'cd -- "$1" && echo there && exec sleep 600', 'sh', directory], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...spawnAs(account),
  })
  children.push(child)
  await once(child.stdout, 'data')
  return Number(child.pid)
}

async function postmasterOf(server: EmbeddedPostgres): Promise<number> {
  return Number((await readFile(join(server.dataDirectory, 'postmaster.pid'), 'utf8')).split('\n')[0])
}

type Reachable = Pick<EmbeddedPostgres, 'socketDirectory'>

async function query(server: Reachable, statement: string) {
  const sql = postgres({ host: server.socketDirectory, user: 'postgres', database: 'postgres', max: 1 })
  try {
    return [...(await sql.unsafe(statement))]
  } finally {
    await sql.end()
  }
}

async function remember(server: Reachable, word: string): Promise<void> {
  await query(server, `create table memory (word text); insert into memory values ('${word}')`)
}

async function recall(server: Reachable | undefined): Promise<string[]> {
  if (server === undefined) throw new Error('no server was started')
  const [found] = await query(server, `select to_regclass('memory') is not null as there`)
  if (!found?.there) return []
  return (await query(server, 'select word from memory')).map(row => row.word as string)
}
