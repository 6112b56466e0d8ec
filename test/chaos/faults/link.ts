import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type LostCommits, watchCommits } from './lost-commits.ts'

/**
 * How a link treats what passes it. `cut` breaks every connection and accepts none. `black_hole` lets nothing through in
 * either direction, and delivers it late, once healed. `swallow` passes requests and drops answers, so that what was asked
 * for is done and nobody hears of it. `half_close` ends the answering direction of the connections that are open.
 */
export type Misbehaviour = 'cut' | 'delay' | 'black_hole' | 'swallow' | 'half_close'

/** A port of 127.0.0.1 that leads to a server through a network that can misbehave. */
export interface Link {
  port: number
  /** Connections that somebody holds open through it. */
  open(): number
  /** Writes in PostgreSQL that were committed and whose answer it dropped so far. */
  lostCommits(): number
  misbehave(how: Misbehaviour): Promise<void>
  heal(): Promise<void>
  close(): Promise<void>
}

const delayMs = 400
const bindTriesMax = 100

/** `target` is asked for each connection: the server may be another by then. */
export async function startLink(target: () => NetConnectOpts): Promise<Link> {
  const pairs = new Set<Pair>()
  let mode: Misbehaviour | 'pass' = 'pass'
  let lostCommits = 0
  const onLostCommit = (): void => {
    lostCommits += 1
  }
  const server = createServer({ allowHalfOpen: true }, near => {
    const far = connect({ ...target(), allowHalfOpen: true })
    const pair = join(near, far, { mode: () => mode, commits: watchCommits(), onLostCommit })
    pairs.add(pair)
    near.once('close', () => pairs.delete(pair))
  })
  const port = await listen(server, 0)
  const stop = async (): Promise<void> => {
    if (server.listening) server.close()
    for (const pair of [...pairs]) pair.destroy()
    pairs.clear()
  }
  return {
    port,
    open: () => pairs.size,
    lostCommits: () => lostCommits,
    async misbehave(how) {
      mode = how
      if (how === 'cut') await stop()
      if (how === 'black_hole') for (const pair of pairs) pair.hold()
      if (how === 'half_close') for (const pair of pairs) pair.endAnswers()
    },
    async heal() {
      mode = 'pass'
      for (const pair of [...pairs]) pair.letGo()
      if (!server.listening) await listen(server, port)
    },
    close: stop,
  }
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    } catch (error) {
      // The port may be in use for a moment by a connection of somebody else's.
      if (tries === bindTriesMax) throw error
      await pause(50)
    }
  }
}

interface Pair {
  hold(): void
  endAnswers(): void
  letGo(): void
  destroy(): void
}

interface Treatment {
  mode(): Misbehaviour | 'pass'
  /** Of this connection, where it leads to PostgreSQL. */
  commits: LostCommits
  onLostCommit(): void
}

/** Two connections as one. A side that goes away does not take with it what it has sent already. */
function join(near: Socket, far: Socket, { mode, commits, onLostCommit }: Treatment): Pair {
  let dropped = false
  const destroy = (): void => {
    near.resetAndDestroy()
    far.destroy()
  }
  const forth = copier(far, mode)
  const back = copier(near, mode)
  near.on('data', chunk => {
    commits.asked(chunk)
    forth.push(() => write(near, far, chunk))
  })
  far.on('data', chunk => {
    const drop = mode() === 'swallow'
    dropped ||= drop
    if (commits.answered(chunk, drop)) onLostCommit()
    if (!drop) back.push(() => write(far, near, chunk))
  })
  for (const socket of [near, far]) socket.on('error', () => socket.destroy())
  near.on('end', () => forth.push(() => far.end()))
  far.on('end', () => back.push(() => near.end()))
  near.on('close', () => forth.push(() => far.destroySoon()))
  far.on('close', () => back.push(() => near.destroySoon()))
  if (mode() === 'black_hole') forth.hold()
  return {
    hold() {
      forth.hold()
      back.hold()
    },
    endAnswers: () => void near.end(),
    letGo() {
      // The answers of this connection have a hole: nobody can go on with it.
      if (dropped) return destroy()
      forth.release()
      back.release()
    },
    destroy,
  }
}

/** One direction: what is pushed happens in order, at once, later, or once it is no longer held. */
function copier(to: Socket, mode: () => Misbehaviour | 'pass') {
  let held = false
  let waiting: (() => void)[] = []
  let freeAt = 0
  const run = (step: () => void): void => {
    if (!to.destroyed) step()
  }
  const release = (): void => {
    held = false
    const steps = waiting
    waiting = []
    for (const step of steps) run(step)
  }
  return {
    push(step: () => void): void {
      if (held) {
        waiting.push(step)
        return
      }
      const now = Date.now()
      freeAt = Math.max(freeAt, mode() === 'delay' ? now + delayMs : now)
      if (freeAt <= now) run(step)
      else setTimeout(run, freeAt - now, step)
    },
    hold(): void {
      held = true
    },
    release,
  }
}

function write(from: Socket, to: Socket, chunk: Buffer): void {
  if (!to.writable || to.write(chunk)) return
  from.pause()
  to.once('drain', () => from.resume())
}
