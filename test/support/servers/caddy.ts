import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { repositoryRoot } from '../repository-root.ts'
import { aptIn, exists, systemName, unpackArchives, unpackOnce } from './debian-package.ts'

const run = promisify(execFile)

export interface Caddy {
  program: string
  /** Before 2.11.2 a retry after a refused connection finds the body of the request closed, and answers 502. */
  keepsBodies: boolean
}

/** Debian's Caddy, unpacked into `.cache`; null where it cannot be had, which is said on standard error. */
export async function findCaddy(): Promise<Caddy | null> {
  try {
    const root = join(repositoryRoot, '.cache', 'caddy', await systemName())
    const isThere = () => exists(root)
    if (!(await isThere())) await unpackOnce(root, unpackCaddy, isThere)
    const program = join(root, 'usr', 'bin', 'caddy')
    const { stdout } = await run(program, ['version'])
    const [, major, minor, patch] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? []
    const number = (major ?? 0) * 1e6 + (minor ?? 0) * 1e3 + (patch ?? 0)
    return { program, keepsBodies: number >= 2_011_002 }
  } catch (error) {
    process.stderr.write(`NOT TESTED WITH CADDY: Debian's package: ${error}\n`)
    return null
  }
}

async function unpackCaddy(work: string, root: string): Promise<void> {
  const apt = await aptIn(work)
  await apt('--yes', 'download', 'caddy')
  await unpackArchives(work, root)
}

export interface BalancerPorts {
  /** Its own. */
  own: number
  /** Of every API. */
  api: number
  /** Of the server that knows the addresses of `api`. */
  names: number
}

export interface Balancer {
  /** What its log says of each request that it gave up. */
  refusals(): string
  stop(): Promise<void>
}

/** Caddy with `api/deploy/Caddyfile` as it is, but for ports and who is asked for the name. */
export async function startBalancer(program: string, ports: BalancerPorts): Promise<Balancer> {
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-caddy-'))
  const file = join(directory, 'Caddyfile')
  const deployed = await readFile(join(repositoryRoot, 'api', 'deploy', 'Caddyfile'), 'utf8')
  const settings = deployed
    .replace(/^:8080 \{$/m, `http://127.0.0.1:${ports.own} {`)
    .replace('dynamic a api 8080 {', `dynamic a api ${ports.api} {\nresolvers udp/127.0.0.1:${ports.names}`)
  await writeFile(file, settings)
  const child = spawn(program, ['run', '--config', file, '--adapter', 'caddyfile'], {
    env: { HOME: directory, XDG_CONFIG_HOME: directory, XDG_DATA_HOME: directory },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const refusals: string[] = []
  await serves(child, refusals)
  return {
    refusals: () => refusals.join('\n'),
    async stop() {
      process.removeListener('exit', kill)
      const ended = once(child, 'exit')
      kill()
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Its log is read to the end, so that it never waits for a reader. */
function serves({ stderr }: ChildProcess, refusals: string[]): Promise<void> {
  if (stderr === null) throw new Error('its log is no pipe')
  return new Promise((resolve, reject) => {
    createInterface({ input: stderr })
      .on('line', line => {
        if (line.includes('"http.log.error"')) refusals.push(line)
        if (line.includes('serving initial configuration')) resolve()
      })
      .on('close', () => reject(new Error('caddy ended before it served')))
  })
}
