import { mkdir, writeFile } from 'node:fs/promises'
import type { NetConnectOpts } from 'node:net'
import { join } from 'node:path'
import { type FakeClock, provideFakeClocks } from '../support/faketime.ts'
import { startProcess } from '../support/platform/platform-process.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { startRedisServer } from '../support/servers/redis.ts'
import type { PrivateRedis } from '../support/servers/redis-program.ts'
import { killedByJob } from './downstream/chaos-actuator.ts'
import { askRealHashes, askToolHash } from './downstream/tool-hash.ts'
import { type Link, startLink } from './faults/link.ts'
import { databaseUrl, type OwnPostgres, startOwnPostgres } from './faults/own-postgres.ts'
import type { FaultKind } from './faults/schedule.ts'
import { mintKeys, type RunKeys } from './mint-keys.ts'
import {
  environmentOf,
  mcpServers,
  programOf,
  type RealFiles,
  realFiles,
  serverNames,
} from './real/real-systems.ts'
import { workerClient, workerSecretVariable } from './real/token-clients.ts'
import { apiNames, configuration, type Downstream, settings, workerNames } from './settings.ts'
import { type Incident, type Supervised, supervise } from './supervised.ts'

/** Everything that a run is made of, each part a process of its own, each way between two of them a link. */
export interface World {
  postgres: OwnPostgres
  redis: PrivateRedis
  /** APIs and workers by name. */
  processes: ReadonlyMap<string, Supervised>
  /** Downstreams that nobody here wrote, by name. */
  servers: ReadonlyMap<string, Supervised>
  /** By the names of both ends: `worker 1 to postgres`. */
  links: ReadonlyMap<string, Link>
  keys: RunKeys
  /** Where programs that workers start over stdio keep their calls. */
  programCalls: string
  incidents: Incident[]
  downstreamUrl: string
  /** What the actuators of the product know of the downstream. */
  downstream: Downstream
  /** The wall clocks of the processes by their names; empty where they cannot be set. */
  clocks: ReadonlyMap<string, FakeClock>
  /** What this machine cannot do to it, and why. */
  leftOut: readonly LeftOut[]
  stop(): Promise<void>
}

export interface LeftOut {
  kind: FaultKind
  why: string
}

export interface Files {
  directory: string
  ledger: string
  config: string
}

/** The way of the product's own actuators, which is registered and so the same for all workers. */
export const sharedLink = 'workers to downstream'

const actuators = join(repositoryRoot, 'dist/test/chaos/downstream/chaos-actuator.js')

export async function openWorld(files: Files): Promise<World> {
  const opened: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of opened.splice(0).reverse()) await end()
  }
  // Signals are sent before the first wait, so nothing outlives this process wherever it ends.
  process.once('exit', () => void stop())
  try {
    await mkdir(files.directory, { recursive: true })
    const postgres = await startOwnPostgres()
    opened.push(postgres.stop)
    const redis = await startRedisServer()
    opened.push(redis.stop)
    const incidents: Incident[] = []
    const real = realFiles(files.directory)
    const servers = superviseServers(real, incidents)
    opened.push(() => Promise.all([...servers.values()].map(each => each.stop())))
    await Promise.all([...servers.values()].map(each => each.start()))
    const downstream = await startDownstream(files)
    opened.push(downstream.stop)
    const links = await openLinks(postgres, redis, downstream.port)
    opened.push(() => Promise.all([...links.values()].map(link => link.close())))
    const downstreamUrl = `http://127.0.0.1:${downstream.port}`
    const registered = {
      port: links.get(sharedLink)?.port ?? 0,
      toolHash: await askToolHash(downstreamUrl),
      realHashes: await askRealHashes(downstreamUrl),
    }
    await writeFile(files.config, JSON.stringify(configuration(registered)))
    const { clocks, why } = await openClocks(files.directory)
    let processes: ReadonlyMap<string, Supervised> = new Map()
    const callbacks = await startLink(() => ({ port: portOfApi(processes), host: '127.0.0.1' }))
    opened.push(callbacks.close)
    const around = { files, links, clocks, callbacksPort: callbacks.port }
    const keys = await mintKeys(files.config, environment(around, apiNames[0]))
    processes = superviseAll(around, incidents)
    const stopProcesses = () => Promise.all([...processes.values()].map(each => each.stop()))
    opened.push(stopProcesses)
    await Promise.all([...processes.values()].map(each => each.start()))
    const leftOut = leftOutOf(postgres, why)
    const parts = { postgres, redis, processes, servers, links, keys, incidents, clocks, leftOut }
    const { programCalls } = real
    return { ...parts, programCalls, downstreamUrl, downstream: registered, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startDownstream({
  ledger,
  directory,
}: Files): Promise<{ port: number; stop(): Promise<unknown> }> {
  const child = startProcess({
    name: 'downstream',
    file: 'test/chaos/downstream/downstream.js',
    flags: [],
    environment: { LEDGER_FILE: ledger, REAL_DIRECTORY: directory },
  })
  process.once('exit', () => child.signal('SIGKILL'))
  const [line] = await child.logged('listening')
  return {
    port: Number(line?.port),
    async stop() {
      child.signal('SIGKILL')
      await child.exited
    },
  }
}

async function openLinks(
  postgres: OwnPostgres,
  redis: PrivateRedis,
  downstreamPort: number,
): Promise<ReadonlyMap<string, Link>> {
  const links = new Map<string, Link>()
  const open = async (name: string, target: () => NetConnectOpts): Promise<void> => {
    links.set(name, await startLink(target))
  }
  for (const name of [...apiNames, ...workerNames]) {
    await open(`${name} to postgres`, () => ({ path: postgres.socket() }))
    await open(`${name} to redis`, () => ({ port: redis.port, host: '127.0.0.1' }))
  }
  for (const name of workerNames)
    await open(`${name} to downstream`, () => ({ port: downstreamPort, host: '127.0.0.1' }))
  await open(sharedLink, () => ({ port: downstreamPort, host: '127.0.0.1' }))
  return links
}

interface Clocks {
  clocks: ReadonlyMap<string, FakeClock>
  /** Why there are none; null where there are. */
  why: string | null
}

/** Where the first API that is up listens; where none is, nobody does. */
function portOfApi(processes: ReadonlyMap<string, Supervised>): number {
  const urls = apiNames.flatMap(name => processes.get(name)?.ready()?.url ?? [])
  return urls[0] === undefined ? closedPort : Number(new URL(String(urls[0])).port)
}

const closedPort = 9

async function openClocks(directory: string): Promise<Clocks> {
  const { open, why } = await provideFakeClocks()
  if (open === null) return { clocks: new Map(), why }
  const fileOf = (name: string): string => join(directory, `clock of ${name}`.replaceAll(' ', '-'))
  const clocks = [...apiNames, ...workerNames].map(name => [name, open(fileOf(name))] as const)
  return { clocks: new Map(clocks), why: null }
}

function leftOutOf({ disk }: OwnPostgres, noClocks: string | null): LeftOut[] {
  const noDisk = 'a file system that can be full takes root on Linux'
  return [
    ...(disk === null ? [{ kind: 'postgres_disk_full', why: noDisk } as const] : []),
    ...(noClocks === null ? [] : [{ kind: 'clock_step', why: noClocks } as const]),
  ]
}

/** What processes are started with. */
interface Around {
  files: Files
  links: ReadonlyMap<string, Link>
  clocks: ReadonlyMap<string, FakeClock>
  /** Of the way on which the downstream calls back. */
  callbacksPort: number
}

function environment({ files, links, clocks, callbacksPort }: Around, name: string): Record<string, string> {
  const portTo = (end: string): number => links.get(`${name} to ${end}`)?.port ?? 0
  return {
    ...settings,
    [workerSecretVariable]: workerClient.client_secret,
    ...clocks.get(name)?.environment,
    SERVICE_EGRESS_ALLOW: '127.0.0.1',
    SERVICE_MCP_SERVERS: mcpServers(realFiles(files.directory)),
    DATABASE_URL: databaseUrl(portTo('postgres')),
    REDIS_URL: `redis://127.0.0.1:${portTo('redis')}`,
    SERVICE_BASE_URL: `http://127.0.0.1:${callbacksPort}`,
    DOWNSTREAM_URL: `http://127.0.0.1:${portTo('downstream')}`,
  }
}

function superviseServers(files: RealFiles, incidents: Incident[]): ReadonlyMap<string, Supervised> {
  const part = (name: (typeof serverNames)[number]): Supervised =>
    supervise({
      name,
      readyMessage: 'listening',
      lastWords: 'nothing',
      spawn: () =>
        startProcess({ name, file: programOf(name), flags: [], environment: environmentOf(name, files) }),
      onIncident: incident => incidents.push(incident),
    })
  return new Map(serverNames.map(name => [name, part(name)] as const))
}

function superviseAll(around: Around, incidents: Incident[]): ReadonlyMap<string, Supervised> {
  const part = (name: string, program: { file: string; flags: string[]; readyMessage: string }) =>
    supervise({
      name,
      readyMessage: program.readyMessage,
      lastWords: killedByJob,
      spawn: () => {
        const child = startProcess({ name, ...program, environment: environment(around, name) })
        void child.exited.then(() => around.clocks.get(name)?.tidyAfter(child.pid))
        return child
      },
      onIncident: incident => incidents.push(incident),
    })
  const api = {
    file: 'api/bin/service.js',
    flags: ['--platform', '--port', '0', '--config', around.files.config],
    readyMessage: 'listening',
  }
  const worker = {
    file: 'worker/bin/worker.js',
    flags: ['--actuators', actuators],
    readyMessage: 'worker started',
  }
  return new Map([
    ...apiNames.map(name => [name, part(name, api)] as const),
    ...workerNames.map(name => [name, part(name, worker)] as const),
  ])
}
