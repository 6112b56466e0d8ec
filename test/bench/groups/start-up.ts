import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Proposal } from '../../../shared/contract/action/proposal-schema.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { freePort } from '../../support/servers/redis-program.ts'
import type { BenchOptions } from '../bench.ts'
import { median, note } from '../figure.ts'
import { type ServiceProcess, startServiceProcess } from '../setup/service-process.ts'

const bench = 'start_up'
const answerMsMax = 30_000
const pollMs = 5

/** The embedded mode, from the start of the process to the first answered proposal, in a new directory and again. */
export async function benchStartUp({ emit, quick }: BenchOptions): Promise<void> {
  const first: number[] = []
  const later: number[] = []
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    note('start-up: in a new directory, and again')
    const directory = await mkdtemp(join(tmpdir(), 'action-gate-bench-'))
    try {
      await chmod(directory, 0o755) // the database may run under another account
      const { ms, printed } = await start(directory, null)
      first.push(ms)
      later.push((await start(directory, printed)).ms, (await start(directory, printed)).ms)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }
  const detail = {
    until: 'the first proposal is answered as executed; the programs of Postgres are in the cache',
  }
  emit({ bench, figure: 'first_time', value: median(first), unit: 'ms', detail })
  emit({ bench, figure: 'next_time', value: median(later), unit: 'ms', detail })
}

/** What the first start prints for its user. */
interface Printed {
  agentKey: string
  proposal: Proposal
}

interface Start {
  /** From the start of the process until its first proposal was answered. */
  ms: number
  printed: Printed
}

async function start(directory: string, known: Printed | null): Promise<Start> {
  const port = await freePort()
  const begun = performance.now()
  const service = await startServiceProcess({
    root: repositoryRoot,
    program: 'api/bin/service.js',
    flags: ['--tenant-db', join(directory, 'data'), '--port', String(port)],
    environment: {},
    directory,
  })
  try {
    const printed = known ?? (await readPrinted(service))
    await firstAnswer(`http://127.0.0.1:${port}/v1/actions`, printed, begun)
    return { ms: performance.now() - begun, printed }
  } finally {
    await service.stop()
  }
}

async function readPrinted(service: ServiceProcess): Promise<Printed> {
  const typed = await service.written(/ -d '(\{[\s\S]+?\n\})'\n/)
  // The id ends in what a shell puts in its place.
  const proposal = JSON.parse(typed.replace(/'\$\([^)]*\)'/, '')) as Proposal
  return { agentKey: await service.written(/agent +(agk_\S+)/), proposal }
}

/** Asks again until somebody listens. */
async function firstAnswer(url: string, { agentKey, proposal }: Printed, begun: number): Promise<void> {
  const request = {
    method: 'POST',
    headers: { authorization: `Bearer ${agentKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...proposal, proposal_id: `start-${begun}` }),
  }
  for (;;) {
    const answer = await fetch(url, request).catch(() => null)
    if (answer?.status === 200) return
    if (answer) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
    if (performance.now() - begun > answerMsMax) throw new Error(`${url} did not answer in time`)
    await setTimeout(pollMs)
  }
}
