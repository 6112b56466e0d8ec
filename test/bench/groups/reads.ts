import { setTimeout as pause } from 'node:timers/promises'
import { readTrustedKeys, type TrustedKey } from '../../../shared/audit/note/trusted-keys.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import { sha256 } from '../../../shared/canon/digest.ts'
import { importPrivateKey, signEd25519, verifyEd25519 } from '../../../shared/canon/ed25519.ts'
import { testKeyPem } from '../../support/audit/signing-key.ts'
import type { BenchOptions } from '../bench.ts'
import { compare, type Target, warmUp } from '../compare.ts'
import { type Emit, note } from '../figure.ts'
import { startProgram } from '../programs/child-program.ts'
import { startFloor } from '../setup/floor.ts'
import { startLoadGenerator } from '../setup/load.ts'
import { type Platform, proposalParts, type RunningApi, startPlatform } from '../setup/platform.ts'
import { timeCode } from '../setup/time-code.ts'

const actions = 50
const waitMsMax = 30_000

/** Reads of executed actions: the trace, polled plain and unchanged, and the audit export; then what checking an export costs. */
export async function benchReads({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  const program = startProgram('floor-program')
  try {
    const api = await platform.startApi()
    await platform.startWorker({ SERVICE_SIGNING_KEY: testKeyPem() })
    const floor = await startFloor(platform, program)
    const order = { url: `${api.url}/v1/actions`, headers: api.headers, body: proposalParts() }
    await load.run({ ...order, connections: 4, ms: waitMsMax, answersMax: actions })
    const ids = await executedIds(platform)
    const bytes = await wholeExport(api, ids[0] ?? '')
    const floorIds = await floor.hold(actions)
    const read = (which: 'service' | 'floor', path: string, headers: Record<string, string> = {}): Target => {
      const [own, server] = which === 'service' ? [ids, api] : [floorIds, floor]
      const paths = own.map(id => `/${id}${path}`)
      return {
        url: which === 'service' ? `${api.url}/v1/actions` : `${floor.url}/actions`,
        headers: which === 'service' ? { ...api.headers, ...headers } : headers,
        cpuSeconds: async () => ('usage' in server ? (await server.usage()).cpuSeconds : server.cpuSeconds()),
        request: () => ({ body: null, paths: 'if-none-match' in headers ? paths.slice(0, 1) : paths }),
      }
    }
    const row = 'a bare Express route that reads one row by its key, same Postgres'
    const events = 'a bare Express route that reads the rows of its events, same Postgres'
    const unchanged = { 'if-none-match': await etagOf(api, ids[0] ?? '') }
    const kinds = [
      { bench: 'trace', prefix: 'plain_', floor_is: row, path: '', floorPath: '', headers: {} },
      { bench: 'trace', prefix: 'unchanged_', floor_is: row, path: '', floorPath: '', headers: unchanged },
      {
        bench: 'export',
        prefix: '',
        floor_is: events,
        path: '/audit-export',
        floorPath: '/events',
        headers: {},
      },
    ]
    const times = quick ? { rounds: 2, ms: 400 } : { rounds: 5, ms: 1_000 }
    for (const { path, floorPath, headers, ...named } of kinds) {
      const targets = { service: read('service', path, headers), floor: read('floor', floorPath) }
      await warmUp(targets, load, true)
      for (const connections of [32, 1])
        await compare(targets, load, { ...named, connections, ...times, emit })
    }
    timeVerifier(bytes, await trustedKeys(api), quick ? 21 : 201, emit)
  } finally {
    await Promise.all([load.stop(), program.stop()])
    await platform.stop()
  }
}

async function executedIds({ sql }: Platform): Promise<string[]> {
  const tooLate = AbortSignal.timeout(waitMsMax)
  for (;;) {
    const rows = await sql<{ action_id: string }[]>`
      select action_id from action_gate.actions where status = 'executed' order by action_id`
    if (rows.length >= actions) return rows.map(({ action_id }) => action_id)
    if (tooLate.aborted) throw new Error(`${rows.length} of ${actions} actions were executed in time`)
    await pause(50)
  }
}

/** The export of an action once it is in a signed log. */
async function wholeExport(api: RunningApi, id: string): Promise<Buffer> {
  const tooLate = AbortSignal.timeout(waitMsMax)
  for (;;) {
    const answer = await fetch(`${api.url}/v1/actions/${id}/audit-export`, { headers: api.headers })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const { outcome, problem } = verifyExport(bytes, { trusted: await trustedKeys(api) })
    if (outcome === 'verified') return bytes
    if (tooLate.aborted) throw new Error(`the export is ${outcome}: ${JSON.stringify(problem)}`)
    await pause(100)
  }
}

async function trustedKeys({ url }: RunningApi): Promise<TrustedKey[]> {
  const keys = readTrustedKeys(await (await fetch(`${url}/v1/audit/keys`)).text())
  return keys.ok ? keys.value : []
}

async function etagOf({ url, headers }: RunningApi, id: string): Promise<string> {
  const answer = await fetch(`${url}/v1/actions/${id}`, { headers })
  const etag = answer.headers.get('etag')
  if (etag === null) throw new Error('a trace has no ETag')
  return etag
}

/** The offline verifier with the whole file, against the least that any verifier of it has to compute. */
function timeVerifier(bytes: Buffer, trusted: readonly TrustedKey[], rounds: number, emit: Emit): void {
  note('verify: an export')
  const key = importPrivateKey(testKeyPem())
  const message = bytes.subarray(0, 200)
  const signature = signEd25519(key, message)
  const { value, floor } = timeCode(
    {
      value: () => verifyExport(bytes, { trusted }),
      floor() {
        sha256(bytes)
        for (let note = 0; note < 2; note += 1) verifyEd25519(key.publicKey, message, signature)
      },
    },
    rounds,
  )
  emit({
    bench: 'verify',
    figure: 'export_of_an_executed_action',
    value: value / 1_000,
    unit: 'us',
    floor: floor / 1_000,
    ratio: value / floor,
    detail: {
      bytes: bytes.length,
      floor_is: 'SHA-256 of the file and two Ed25519 checks, statement and checkpoint',
    },
  })
}
