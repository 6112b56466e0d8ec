import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Actuator } from '../../shared/actuator/actuator.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { startService } from '../support/service/service.ts'

/** A check that a scenario of the suite made. */
export interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

export interface ConformanceBed {
  /** Every check of a scenario. */
  run(scenario: string, version?: string): Promise<Check[]>
  close(): Promise<void>
}

/** The suite's own tools, as operations of a system: what it calls `greet` is `conformance__greet` here. */
const operations = [
  'greet',
  'slow_compute',
  'failing_job',
  'test_simple_text',
  'test_error_handling',
] as const
const system = 'conformance'

/** Slower than what a client with tasks waits for, wherever the suite asks for any time at all. */
const slowness = 1.5
const secondsMax = 6

const actuator: Actuator = {
  name: system,
  idempotency: 'none',
  async invoke({ operation, parameters, signal }) {
    if (operation === 'failing_job' || operation === 'test_error_handling') {
      await delay(operation === 'failing_job' ? 1_500 : 0, undefined, { signal })
      return { class: 'failed', code: 'broken', message: 'this job always fails' }
    }
    const seconds = Math.min(Number(parameters.seconds ?? 0), secondsMax)
    await delay(seconds * slowness * 1_000, undefined, { signal })
    return { class: 'ok', detail: { greeting: 'hello' } }
  },
}

/** The real service behind a door that adds the key and the names, which the suite has no way to say. */
export async function openConformanceBed(): Promise<ConformanceBed> {
  const service = await startService({ modules: [actuator], env: { SERVICE_RATE_LIMIT: '100000' } })
  const tenant = await service.tenant({
    policy: {
      allowed_systems: [system],
      allowed_operations: { [system]: [...operations] },
      approval_required_at: 'high',
      review_route: 'nobody',
    },
    actuators: [{ name: system, kind: 'module', settings: {} }],
  })
  const door = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const body = renamed(Buffer.concat(chunks).toString())
      const { 'content-length': _, ...headers } = request.headers
      const name = headers['mcp-name']
      const onward = send(`${service.url}${request.url}`, {
        method: request.method,
        headers: {
          ...headers,
          authorization: `Bearer ${tenant.agent}`,
          'content-length': Buffer.byteLength(body),
          ...(typeof name === 'string' ? { 'mcp-name': ownName(name) } : {}),
        },
      })
      onward.on('response', answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      response.on('close', () => onward.destroy())
      onward.end(body)
    })
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  const { port } = door.address() as AddressInfo
  return {
    run: (scenario, version) => runScenario(`http://localhost:${port}/mcp`, scenario, version),
    async close() {
      door.closeAllConnections()
      door.close()
      await service.close()
    },
  }
}

const known: ReadonlySet<string> = new Set(operations)

function ownName(name: string): string {
  return known.has(name) ? `${system}__${name}` : name
}

function renamed(body: string): string {
  return body.replaceAll(/"name":"([a-z_]+)"/g, (_, name: string) => `"name":"${ownName(name)}"`)
}

const suite = 'test/clients/node_modules/@modelcontextprotocol/conformance/dist/index.js'

async function runScenario(url: string, scenario: string, version?: string): Promise<Check[]> {
  const output = mkdtempSync(join(tmpdir(), 'conformance-'))
  const given = ['server', '--url', url, '--scenario', scenario, '-o', output]
  const ofVersion = version ? ['--spec-version', version] : []
  const child = spawn(
    process.execPath,
    ['--import', './test/clients/old-node.mjs', suite, ...given, ...ofVersion],
    { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const said: Buffer[] = []
  child.stdout.on('data', chunk => said.push(chunk))
  child.stderr.on('data', chunk => said.push(chunk))
  await once(child, 'close')
  try {
    const files = readdirSync(output, { recursive: true }).map(String)
    const checks = files.find(name => name.endsWith('checks.json'))
    if (checks) return JSON.parse(readFileSync(join(output, checks), 'utf8')) as Check[]
    throw new Error(`${scenario} wrote no checks: ${Buffer.concat(said).toString().slice(-500)}`)
  } finally {
    rmSync(output, { recursive: true })
  }
}
