import { setTimeout as pause } from 'node:timers/promises'
import { busyProgram } from '../real/program-calls.ts'
import { programName } from '../real/real-systems.ts'
import type { Supervised } from '../supervised.ts'
import type { World } from '../world.ts'
import type { Fault } from './schedule.ts'
import { type Hit, noKill, type Target } from './target.ts'

const busyMsMax = 5_000
const lookMs = 2

/** Kill a server that nobody here wrote, in the middle of a call if one comes soon, and start it again. */
export async function killServer({ world }: Target, { victim, ms }: Fault): Promise<Hit> {
  if (victim === programName) return killProgram(world)
  const server = world.servers.get(victim)
  if (!server) throw new Error(`there is no server ${victim}`)
  const in_flight = await stoppedInCall(world, server)
  await server.restart('SIGKILL', () => pause(ms))
  return { ...noKill, in_flight }
}

/** A program that a worker has started: whoever has its next call starts another. */
async function killProgram({ programCalls }: World): Promise<Hit> {
  const tooLate = AbortSignal.timeout(busyMsMax)
  while (!tooLate.aborted) {
    const busy = busyProgram(programCalls)
    if (busy && killed(busy.pid)) return { ...noKill, in_flight: busy.open }
    await pause(lookMs)
  }
  return noKill
}

/** False where it has ended by itself meanwhile. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

/** How many calls it has under way where it was stopped; 0 where none came in time. */
async function stoppedInCall(world: World, server: Supervised): Promise<number> {
  return (await stoppedAtWork(world, server)) || stoppedBeforeCall(world, server)
}

/** Calls are few and short on a slow machine: the next one comes to a server that is stopped, and is never answered. */
async function stoppedBeforeCall(world: World, server: Supervised): Promise<number> {
  const wake = server.suspend()
  const tooLate = AbortSignal.timeout(busyMsMax)
  while (!tooLate.aborted) {
    const open = await openAt(world, server)
    if (open > 0) return open
    await pause(lookMs)
  }
  wake()
  return 0
}

async function stoppedAtWork(world: World, server: Supervised): Promise<number> {
  const tooLate = AbortSignal.timeout(busyMsMax)
  while (!tooLate.aborted) {
    if ((await openAt(world, server)) > 0) {
      const wake = server.suspend()
      // An answer that was on its way is counted by the second question.
      await openAt(world, server)
      const open = await openAt(world, server)
      if (open > 0) return open
      wake()
    }
    await pause(lookMs)
  }
  return 0
}

async function openAt({ downstreamUrl }: World, { name }: Supervised): Promise<number> {
  const answer = await fetch(`${downstreamUrl}/open?server=${encodeURIComponent(name)}`)
  return ((await answer.json()) as { open: number }).open
}
