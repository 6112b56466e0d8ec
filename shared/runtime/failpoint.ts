import { setTimeout as delay } from 'node:timers/promises'

/** Steps at which a test can kill, fail or delay a process, in the order in which a process reaches them. */
export const failpoints = {
  submit_decided: 'a proposal is decided, nothing is written',
  submit_written: 'a proposal is written, not committed',
  submit_committed: 'a proposal is committed, no bell was rung',
  submit_rung: 'the bell was rung for a proposal, nobody was answered',
  change_asked: 'a change of an action is asked for, nothing is locked',
  change_written: 'a change of an action is written, not committed',
  change_committed: 'a change of an action is committed, no bell was rung',
  change_rung: 'the bell was rung for a change of an action, nobody was told',
  claim_written: 'a lease and its attempt are written, not committed',
  claim_committed: 'a lease and its attempt are committed, the actuator is not called',
  call_answered: 'the actuator has answered, nothing is recorded',
  operation_written: 'an accepted operation is written, not committed',
  operation_kept: 'an accepted operation is kept, nobody was told when it is due',
  callback_written: 'a callback is written, not committed',
  callback_kept: 'a callback is kept, it was not answered',
  poll_taken: 'the lease of an accepted operation is taken, nothing was asked',
  reconcile_taken: 'a round of reconcile is taken, nothing was asked',
  messages_made: 'messages to endpoints are written, not committed',
  message_claimed: 'a message is claimed, nothing is sent',
  message_answered: 'an endpoint has answered, nothing is recorded',
  secret_written: 'a stored secret is written, its event is not',
  secret_committed: 'a stored secret is committed with its event, nobody was answered',
  tool_written: 'the documents of a tool are written, their events are not',
  tool_committed: 'a tool is committed as one revision, nobody was answered',
  test_asked: 'a test call is asked for, no bell was rung',
  test_taken: 'a test call is taken by a worker, nothing is sent',
  test_answered: 'a test call was answered, nothing is recorded',
} as const
export type FailpointName = keyof typeof failpoints

/**
 * Steps between a write and its commit. Unless a test uses one, the write and the commit go out in one round trip.
 */
export const beforeCommit: ReadonlySet<FailpointName> = new Set([
  'submit_written',
  'change_written',
  'claim_written',
  'operation_written',
  'callback_written',
])

export type Failure = 'kill' | 'throw' | { stall_ms: number }
export type Failpoint = readonly [name: FailpointName, failure: Failure]

/**
 * Reads failpoints with commas between them, each `name:kill`, `name:throw` or `name:stall=1500` (ms). Returns
 * null for any other text.
 */
export function readFailpoints(text: string): Failpoint[] | null {
  const read = text.split(',').map(readFailpoint)
  return read.every(failpoint => failpoint !== null) ? read : null
}

function readFailpoint(text: string): Failpoint | null {
  const [, name = '', how = '', ms] = /^([a-z_]+):(kill|throw|stall=(\d{1,6}))$/.exec(text) ?? []
  if (!isName(name)) return null
  return [name, how === 'kill' || how === 'throw' ? how : { stall_ms: Number(ms) }]
}

export type Reach = (name: FailpointName) => Promise<void>

const nothing = Promise.resolve()

/**
 * Returns a function that the process calls at each step. Each failpoint in `set` fires once and in order, after
 * `told`.
 */
export function createFailpoints(set: readonly Failpoint[], told: (set: Failpoint) => void): Reach {
  if (set.length === 0) return () => nothing
  const left = [...set]
  return async name => {
    const [armed] = left
    if (armed?.[0] !== name) return
    left.shift()
    told(armed)
    const [, failure] = armed
    if (failure === 'kill') process.kill(process.pid, 'SIGKILL')
    if (failure === 'throw') throw new Error(`failpoint ${name}`)
    await delay(typeof failure === 'object' ? failure.stall_ms : 0)
  }
}

function isName(name: string): name is FailpointName {
  return Object.hasOwn(failpoints, name)
}
