import { median } from '../figure.ts'

/** Code under the clock: called with a running number, so that inputs can change from call to call. */
export type Timed = (turn: number) => unknown

const batchNs = 1_000_000
const warmUpNs = 150_000_000n

/**
 * Nanoseconds a call of each candidate takes: the median over rounds of batches of a millisecond, in which the candidates take
 * turns, so that whatever else the machine does falls on all of them.
 */
export function timeCode<Name extends string>(
  candidates: Record<Name, Timed>,
  rounds: number,
): Record<Name, number> {
  const entries = Object.entries(candidates) as [Name, Timed][]
  const sized = entries.map(([name, code]) => ({ name, code, calls: calibrate(code), times: [] as number[] }))
  for (let round = 0; round < rounds; round += 1) {
    for (const { code, calls, times } of sized) times.push(batch(code, calls))
  }
  return Object.fromEntries(sized.map(({ name, times }) => [name, median(times)])) as Record<Name, number>
}

/** Warms the code up and finds how many calls fill a batch. */
function calibrate(code: Timed): number {
  const warmAt = process.hrtime.bigint() + warmUpNs
  let calls = 16
  for (;;) {
    const took = batch(code, calls) * calls
    if (took < batchNs / 2) calls *= 2
    else if (process.hrtime.bigint() >= warmAt) return Math.ceil((calls * batchNs) / took)
  }
}

let seen: unknown

function batch(code: Timed, calls: number): number {
  const begun = process.hrtime.bigint()
  for (let turn = 0; turn < calls; turn += 1) {
    const result = code(turn)
    if (result !== undefined) seen = result // or the compiler could drop the call
  }
  const took = Number(process.hrtime.bigint() - begun)
  if (seen === batch) throw new Error('unreachable: keeps `seen` alive')
  return took / calls
}
