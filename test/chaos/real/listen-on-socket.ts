import { rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'

/** What a server of a run is told: where to listen, and the file of its own data. */
export const socketPath = process.env.SOCKET ?? ''
export const dataFile = process.env.DATA_FILE ?? ''

/** Says that it listens, as the run waits for it. */
export function sayListening(): void {
  process.stderr.write(`${JSON.stringify({ msg: 'listening', socket: socketPath })}\n`)
}

/** A socket of this name may be left of a process that was killed. */
export function freeSocket(): void {
  rmSync(socketPath, { force: true })
}

export function listenOnSocket(listener: RequestListener): void {
  freeSocket()
  createServer(listener).listen(socketPath, sayListening)
}

/** Longer and shorter work by turns, so that a kill meets some of it before and some after its effect. */
export function createTurns(...ms: readonly number[]): () => number {
  let turn = 0
  return () => {
    turn += 1
    return ms[turn % ms.length] ?? 0
  }
}
