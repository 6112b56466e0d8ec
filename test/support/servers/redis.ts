import { startRedisContainer } from './redis-container.ts'
import { debianRedis } from './redis-debian.ts'
import { type PrivateRedis, redisOnPath, serverInfo, startRedisProgram } from './redis-program.ts'

/**
 * A Redis for the run: REDIS_URL, else a container where an engine answers, else redis-server or valkey-server on
 * PATH, else Debian's package unpacked into `.cache`. There is no run without one: no way left is an error that
 * names the ways out.
 */
export async function provideRedis(): Promise<{ url: string; how: string; stop(): Promise<void> }> {
  const given = process.env.REDIS_URL
  if (given) {
    await mustAnswer(given)
    return { url: given, how: 'REDIS_URL', stop: async () => {} }
  }
  const { how, server } = await startServer()
  return { url: server.url, how, stop: server.stop }
}

/** Starts one more server of its own. It takes the same ways, but REDIS_URL: that one is not ours to kill. */
export async function startRedisServer(): Promise<PrivateRedis> {
  return (await startServer()).server
}

async function startServer(): Promise<{ how: string; server: PrivateRedis }> {
  const refusals: string[] = []
  const contained = await startRedisContainer(refusals)
  if (contained !== null) return { how: 'container', server: contained }
  const program = (await redisOnPath(refusals)) ?? (await debianRedis(refusals))
  if (program !== null) return { how: program.path, server: await startRedisProgram(program) }
  throw new Error(noServer(refusals))
}

function noServer(refusals: string[]): string {
  const lines = [
    'The tests need a Redis server, and none could be had:',
    ...refusals.map(refusal => `  - ${refusal}`),
    'Do one of these: set REDIS_URL to a server that the tests may fill; start a container engine such as Docker;',
    'install redis-server or valkey-server so that it is on PATH (macOS: brew install redis).',
  ]
  if (process.env.REDIS_URL)
    lines.push('REDIS_URL is set, but this test kills its server, so it needs one of its own.')
  return lines.join('\n')
}

async function mustAnswer(url: string): Promise<void> {
  try {
    await serverInfo(url)
  } catch (cause) {
    throw new Error('REDIS_URL is set but no Redis answers there. Correct it, or unset it.', { cause })
  }
}
