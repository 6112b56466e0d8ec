import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import type { MockSettings } from '../../../shared/contract/configuration/actuator-schema.ts'
import { systemProgram } from '../helper-programs.ts'
import { type PlatformProcess, startProcess } from '../platform/platform-process.ts'
import { processesOf } from '../platform/processes.ts'
import { type Client, createClient } from './http.ts'
import { plainPolicy } from './tenant.ts'

const run = promisify(execFile)

/** The compiled service as a process of its own, in embedded mode, on a free port. */
export interface RunningProcess {
  process: PlatformProcess
  url: string
  call: Client
}

/** Where a test starts services; `clear` ends them all and fails when one of their processes stays. */
export interface ServicePlace {
  directory: string
  /** A copy of an empty database, by its directory: making one takes a second. */
  plant(name: string): Promise<string>
  /** A configuration file with one tenant `shop`. */
  configure(change?: {
    review_route?: string
    system?: string
    kind?: 'mock' | 'module'
    settings?: MockSettings
  }): Promise<string>
  start(flags: string[], environment?: Record<string, string>): Promise<RunningProcess>
  /** The process alone, which may end by itself. */
  launch(flags: string[], environment?: Record<string, string>): PlatformProcess
  clear(): Promise<void>
}

export async function makePlace(seed: string | null): Promise<ServicePlace> {
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-process-'))
  // The account of the database must be able to pass.
  await chmod(directory, 0o755)
  const started: PlatformProcess[] = []
  const clients: { close(): void }[] = []

  const launch = (flags: string[], environment: Record<string, string> = {}): PlatformProcess => {
    const all = ['--port', '0', ...flags]
    const process = startProcess({ name: 'service', file: 'api/bin/service.js', flags: all, environment })
    started.push(process)
    return process
  }

  return {
    directory,
    launch,
    async plant(name) {
      await run(systemProgram('cp'), ['-a', join(seed ?? '', 'db'), join(directory, name)])
      return join(directory, name)
    },
    async configure({ review_route = 'leads', system = 'crm', kind = 'mock', settings = {} } = {}) {
      const path = join(directory, 'config.json')
      const policy = { ...plainPolicy, allowed_systems: [system], review_route }
      const actuators = [{ name: system, kind, settings }]
      await writeFile(path, JSON.stringify({ tenants: [{ tenant_id: 'shop', policy, actuators }] }))
      return path
    },
    async start(flags, environment = {}) {
      const process = launch(flags, environment)
      const [line] = await process.logged('listening')
      const url = String(line?.url)
      const client = createClient(url)
      clients.push(client)
      return { process, url, call: client.call }
    },
    async clear() {
      for (const client of clients.splice(0)) client.close()
      for (const process of started.splice(0)) {
        process.signal('SIGKILL')
        await process.exited
      }
      await vi.waitFor(() => expect(processesOf(directory)).toEqual([]), { timeout: 10_000, interval: 50 })
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** A place with an empty database to be planted; `clear` it last. */
export async function makeSeed(): Promise<ServicePlace> {
  const seed = await makePlace(null)
  await stop(
    await seed.start(['--tenant-db', join(seed.directory, 'db'), '--bootstrap-admin-key-name', 'seed']),
  )
  return seed
}

/** SIGTERM, and exit code 0. */
export async function stop({ process }: RunningProcess): Promise<void> {
  process.signal('SIGTERM')
  expect(await process.exited).toEqual({ code: 0, signal: null })
}

/** What `--bootstrap-admin-key-name` printed. */
export function adminKey({ process }: RunningProcess): Promise<string> {
  return process.printed(/^admin api key \(shown once\): (adk_[a-z2-7]{16}\.[\w-]{49})$/m)
}

/** An agent key of the configured tenant. */
export async function agentKey(service: RunningProcess): Promise<string> {
  const admin = await adminKey(service)
  const path = '/v1/tenants/shop/api-keys'
  return (await service.call<{ api_key: string }>('POST', path, { admin, json: { name: 'agent' } })).body
    .api_key
}
