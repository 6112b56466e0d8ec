import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { StartedTestContainer } from 'testcontainers'
import { freePort, type PrivateRedis, serverInfo } from './redis-program.ts'

const IMAGE = 'redis:7.4-alpine'
const REDIS_PORT = 6379
const PROBE_MS_MAX = 3000
const RESTART_MS_MAX = 10_000

type Testcontainers = typeof import('testcontainers')
type Engine = Awaited<ReturnType<Testcontainers['getContainerRuntimeClient']>>

/**
 * Redis in a container of its own, without persistence. Null with the reason added to the refusals when no engine
 * answers in time, or when it cannot run the image (as without a network).
 */
export async function startRedisContainer(refusals: string[]): Promise<PrivateRedis | null> {
  if (!mayHaveEngine()) {
    refusals.push('no container: no engine has a socket here, and DOCKER_HOST is not set')
    return null
  }
  try {
    const library = await import('testcontainers')
    const engine = await probe(library)
    const port = await freePort()
    const started = await new library.GenericContainer(IMAGE)
      .withCommand(['redis-server', '--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'])
      .withExposedPorts({ container: REDIS_PORT, host: port })
      .start()
    return control(started, engine, port)
  } catch (error) {
    refusals.push(`no container: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

/** Where the library looks for an engine. It is large: without any of these it is not loaded. */
function mayHaveEngine(): boolean {
  const { DOCKER_HOST, XDG_RUNTIME_DIR } = process.env
  const sockets = [
    '/var/run/docker.sock',
    ...(XDG_RUNTIME_DIR ? [join(XDG_RUNTIME_DIR, 'docker.sock')] : []),
    ...['.docker/run/docker.sock', '.docker/desktop/docker.sock', '.testcontainers.properties'].map(path =>
      join(homedir(), path),
    ),
  ]
  return Boolean(DOCKER_HOST) || sockets.some(existsSync)
}

/** A socket that accepts and never answers would hang the look-up for ever. */
async function probe(library: Testcontainers): Promise<Engine> {
  const giveUp = new AbortController()
  const late = setTimeout(PROBE_MS_MAX, null, { signal: giveUp.signal })
  late.catch(() => {}) // aborted below
  try {
    const engine = await Promise.race([library.getContainerRuntimeClient(), late])
    if (engine !== null) return engine
    throw new Error(`the container engine did not answer within ${PROBE_MS_MAX / 1000} s`)
  } finally {
    giveUp.abort()
  }
}

function control(started: StartedTestContainer, engine: Engine, port: number): PrivateRedis {
  const url = `redis://${started.getHost()}:${port}`
  const container = engine.container.getById(started.getId())
  return {
    url,
    port,
    pid: null,
    async stop() {
      await started.stop()
    },
    async kill() {
      await container.kill()
      await container.wait()
    },
    async restart() {
      await container.start()
      await answers(url)
    },
  }
}

async function answers(url: string): Promise<void> {
  const tooLate = AbortSignal.timeout(RESTART_MS_MAX)
  for (;;) {
    try {
      await serverInfo(url)
      return
    } catch (error) {
      if (tooLate.aborted) throw error
      await setTimeout(50)
    }
  }
}
