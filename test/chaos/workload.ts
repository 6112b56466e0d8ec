import { setTimeout as pause } from 'node:timers/promises'
import type { ChaosParameters } from './downstream/chaos-parameters.ts'
import type { Script } from './downstream/downstream-call.ts'
import { type Random, seededRandom } from './faults/seeded-random.ts'
import { isReal, type RealParameters, realParameters } from './real/real-parameters.ts'
import type { Answered, Asked, Requests } from './requests.ts'
import { apiNames, hangingTenant, programTenant, type System, systems, tenantIds } from './settings.ts'

/** A proposal and what its clients do with it, drawn before anything is known of the answers. */
export interface Story {
  tenant_id: string
  proposal_id: string
  system: System
  /** `forbidden` is denied; the module actuator has a defect in `broken`. */
  operation: 'write' | 'forbidden' | 'broken'
  risk: 'low' | 'high'
  parameters: ChaosParameters | RealParameters
  /** It is submitted so often at once. */
  copies: number
  /** What is decided at once about it where it is held. */
  decisions: ('approve' | 'reject' | 'cancel')[]
  decide_after_ms: number
  /** Seconds that its clients want to wait for the outcome. */
  wait_s: number
}

const unansweredTriesMax = 5
const againMsMin = 400
/** Stories at once: clients that wait for answers do not make ever more of what a service in trouble has to do. */
const underWayMax = 24

/** Of the actions of the tenant whose operations hang, so many are such operations: a crowd. */
const crowdShare = 0.4

/** Plays stories at a rate until it is stopped; the same seed plays the same ones. */
export function startWorkload(requests: Requests, { seed, rate }: { seed: number; rate: number }) {
  const random = seededRandom(seed, 'workload')
  const underWay = new Set<Promise<void>>()
  let told = 0
  const tick = setInterval(() => {
    if (underWay.size >= underWayMax) return
    told += 1
    const played = play(requests, tellStory(random, told), told).finally(() => underWay.delete(played))
    underWay.add(played)
  }, 1_000 / rate)
  return {
    /** No new story; resolves once those that were begun have ended. */
    async stop(): Promise<void> {
      clearInterval(tick)
      await Promise.all(underWay)
    },
  }
}

export function tellStory(random: Random, n: number): Story {
  const kind = random.pick([
    'allow',
    'allow',
    'allow',
    'allow',
    'allow',
    'allow',
    'hold',
    'hold',
    'hold',
    'deny',
  ])
  const any = random.pick<System>(['chaos_keyed', 'chaos_plain', ...systems])
  const anyone = random.pick(tenantIds)
  const system = anyone === hangingTenant && random.chance(crowdShare) ? 'http_later' : any
  const tenant_id = system === 'mcp_program' ? programTenant : anyone
  return {
    tenant_id,
    proposal_id: `p-${n}`,
    system,
    operation: kind === 'deny' ? 'forbidden' : 'write',
    risk: kind === 'hold' ? 'high' : 'low',
    parameters: isReal(system) ? realParameters(system, `${tenant_id}-${n}`) : tellParameters(random, system),
    copies: random.pick([1, 1, 1, 2, 2, 3]),
    decisions: random.pick([
      ['approve', 'approve', 'reject'],
      ['approve', 'approve', 'reject'],
      ['approve', 'reject', 'cancel'],
      ['approve', 'approve'],
      ['approve'],
      ['approve'],
      ['reject'],
      ['cancel'],
      [],
    ]),
    decide_after_ms: random.between(0, 1_500),
    wait_s: random.chance(0.3) ? 1 : 0,
  }
}

function tellParameters(random: Random, system: System): ChaosParameters {
  return {
    scripts: [...Array.from({ length: random.between(1, 3) }, () => tellScript(random)), ...lastOf(system)],
    before_ms: random.between(0, 150),
    after_ms: random.chance(0.05) ? random.between(1_100, 1_600) : random.between(0, 400),
    mute: random.chance(0.04),
  }
}

/** What the actuators of the product call gets well in the end; what a module calls may also stay busy until its time is over. */
function lastOf(system: System): Script[] {
  return system.startsWith('chaos_') ? [] : ['ok']
}

function tellScript(random: Random): Script {
  if (random.chance(0.75)) return 'ok'
  return random.pick([
    'refuse',
    'busy',
    'busy',
    'lost_before',
    'cut',
    'half_body',
    'error',
    'again',
    'again_later',
  ])
}

/** Submits what the story says, and has it decided; resolves when its clients have heard the last of it. */
export async function play(requests: Requests, story: Story, n: number): Promise<void> {
  const common = named(story)
  const submission = { op: 'submit', ...common, approver: 0, action_id: null, body: proposal(story) } as const
  const answers = await Promise.all(
    Array.from({ length: story.copies }, (_, copy) => send(requests, submission, n + copy)),
  )
  const held = answers.find(({ action_status }) => action_status === 'pending_approval')
  if (!held) return
  await pause(story.decide_after_ms)
  await Promise.all(
    story.decisions.map((op, place) => {
      const body = op === 'cancel' ? {} : { note: `${op} it` }
      return send(
        requests,
        { op, ...common, approver: place % 2, action_id: held.action_id, body },
        n + place,
      )
    }),
  )
}

/** A request that nobody answers is sent again, in turn to all APIs. */
async function send(requests: Requests, asked: Asked, first: number): Promise<Answered> {
  for (let tries = 0; ; tries += 1) {
    const api = apiNames[(first + tries) % apiNames.length] ?? apiNames[0]
    const answer = await requests.send(api, asked)
    if (answer.result !== 'info' || tries === unansweredTriesMax) return answer
    await pause(againMsMin * 2 ** tries)
  }
}

function named({ tenant_id, proposal_id, wait_s }: Story) {
  return { tenant_id, proposal_id, wait_s }
}

function proposal({ proposal_id, system, operation, risk, parameters }: Story): object {
  return {
    proposal_id,
    actor: { agent_id: 'chaos-agent', run_id: 'run-1' },
    summary: `Ask ${system} to ${operation}`,
    action: { target_system: system, operation, parameters },
    risk: { level: risk },
  }
}
