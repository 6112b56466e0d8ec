import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import {
  type Guarded,
  spawnGuarded,
} from '../../../shared/runtime/embedded-postgres/embedded-postgres-guard.ts'

const run = promisify(execFile)
const START_MS_MAX = 10_000
const PORT_TRIES_MAX = 5

/** A Redis that no other test uses, made to be killed. */
export interface PrivateRedis {
  url: string
  port: number
  /** Null in a container. */
  pid: number | null
  /** Ends it for good. */
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** Starts it again, empty, on the same port. */
  restart(): Promise<void>
}

/** A redis-server or valkey-server that can be run here. */
export interface RedisProgram {
  path: string
  /** Directories of shared libraries that the system's loader would not find. */
  libraries: string[]
}

/** The server installed on this machine, or null with the reason added to the refusals. */
export async function redisOnPath(refusals: string[]): Promise<RedisProgram | null> {
  for (const name of ['redis-server', 'valkey-server']) {
    try {
      const { stdout } = await run('/bin/sh', ['-c', 'command -v "$1"', 'sh', name])
      return { path: stdout.trim(), libraries: [] }
    } catch {
      refusals.push(`${name} is not on PATH`)
    }
  }
  return null
}

/** Starts it on a free port of 127.0.0.1, without persistence. It ends when this process does, whatever ends that. */
export async function startRedisProgram(program: RedisProgram): Promise<PrivateRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-redis-'))
  try {
    return control(await startOnFreePort(program, directory), program, directory)
  } catch (error) {
    await rm(directory, { recursive: true, force: true })
    throw error
  }
}

function control(first: RunningRedis, program: RedisProgram, directory: string): PrivateRedis {
  const { port } = first
  let running = first
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return running.pid
    },
    async stop() {
      await running.server.stop()
      await rm(directory, { recursive: true, force: true })
    },
    async kill() {
      process.kill(running.pid, 'SIGKILL')
      await running.server.ended
    },
    async restart() {
      running = await startOn(port, program, directory)
    },
  }
}

/** What the server says about itself; rejects unless it answers at once. */
export async function serverInfo(url: string): Promise<string> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3000,
    commandTimeout: 3000,
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  redis.on('error', () => {}) // the rejected connect() tells it
  try {
    await redis.connect()
    return await redis.info('server')
  } finally {
    redis.disconnect()
  }
}

interface RunningRedis {
  server: Guarded
  port: number
  pid: number
}

/** Between finding a free port and listening on it another process may take it. */
async function startOnFreePort(program: RedisProgram, directory: string): Promise<RunningRedis> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startOn(await freePort(), program, directory)
    } catch (error) {
      if (tries === PORT_TRIES_MAX || !String(error).includes('Address already in use')) throw error
    }
  }
}

async function startOn(port: number, program: RedisProgram, directory: string): Promise<RunningRedis> {
  const log = join(directory, 'redis.log')
  const processFile = join(directory, 'redis.pid')
  await rm(processFile, { force: true })
  const logDescriptor = openSync(log, 'w')
  const server = spawnGuarded({
    command: [
      'env',
      `LD_LIBRARY_PATH=${program.libraries.join(':')}`,
      program.path,
      ...settings(port, directory),
    ],
    account: null,
    logDescriptor,
    lockDescriptor: null,
    temporaryDirectory: directory,
  })
  closeSync(logDescriptor)
  const pid = await becomesReady(server, port, processFile)
  if (pid !== null) return { server, port, pid }
  const written = await readFile(log, 'utf8')
  await server.stop()
  throw new Error(`${program.path} did not start on port ${port}. It wrote:\n${written}`)
}

function settings(port: number, directory: string): string[] {
  const values = {
    bind: '127.0.0.1',
    port: String(port),
    dir: directory,
    pidfile: join(directory, 'redis.pid'),
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
  }
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, value])
}

/** The server's process id once it answers. It must be the one in our pid file: the port could be another's. */
async function becomesReady(server: Guarded, port: number, processFile: string): Promise<number | null> {
  const tooLate = AbortSignal.timeout(START_MS_MAX)
  let ended = false
  const noteEnd = () => {
    ended = true
  }
  const end = server.ended.then(noteEnd, noteEnd)
  while (!ended && !tooLate.aborted) {
    const answered = await answeringProcess(port)
    if (answered !== null && answered === (await readFile(processFile, 'utf8').catch(() => '')).trim())
      return Number(answered)
    await Promise.race([end, setTimeout(10)])
  }
  return null
}

async function answeringProcess(port: number): Promise<string | null> {
  try {
    const info = await serverInfo(`redis://127.0.0.1:${port}`)
    return /^process_id:(\d+)/m.exec(info)?.[1] ?? null
  } catch {
    return null
  }
}

/** A port of 127.0.0.1 that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
