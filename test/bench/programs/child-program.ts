import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A program of this folder in a process of its own, which ends with this one. */
export interface ChildProgram {
  /** One order at a time. */
  ask<Answer>(order: object): Promise<Answer>
  stop(): Promise<void>
}

type Reply = { answer: unknown } | { error: string }

export interface ProgramOptions {
  /** What it writes on standard error goes nowhere. */
  silent?: boolean
  /** For Node. */
  flags?: readonly string[]
}

/** Starts `test/bench/programs/<name>` of the built tree; what is compared with it is in `../peers`. */
export function startProgram(
  name: string,
  { silent = false, flags = [] }: ProgramOptions = {},
): ChildProgram {
  const path = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
  const stderr = silent ? 'ignore' : 'inherit'
  const child = fork(path, { execArgv: [...flags], stdio: ['ignore', 'inherit', stderr, 'ipc'] })
  const ended = once(child, 'exit')
  return {
    async ask<Answer>(order: object): Promise<Answer> {
      const replied = once(child, 'message')
      child.send(order)
      const [reply] = (await Promise.race([replied, ended.then(() => [gone(name)])])) as [Reply]
      if ('error' in reply) throw new Error(`${name}: ${reply.error}`)
      return reply.answer as Answer
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** The other end: answers orders until the parent is gone. */
export function answerOrders<Order>(answer: (order: Order) => Promise<unknown>): void {
  const reply = (message: Reply): void => {
    process.send?.(message)
  }
  process.on('message', (order: Order) => {
    answer(order).then(
      value => reply({ answer: value ?? null }),
      (error: unknown) =>
        reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}

function gone(name: string): Reply {
  return { error: `${name} ended before it answered` }
}
