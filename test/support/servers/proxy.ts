import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A port of 127.0.0.1 that leads to a unix socket, as long as the test wants. */
export interface DatabaseProxy {
  port: number
  /** Breaks every connection and accepts no more. */
  cut(): Promise<void>
  restore(): Promise<void>
  /** Lets the next commit through and breaks its connection before the answer comes back; how many were met so far. */
  loseNextCommit(): void
  commitsLost(): number
  /**
   * How often clients have asked for an answer so far: each exchange ends with a message of its own (`Sync`). Jobs that
   * BullMQ adds to its queue in Postgres are not counted: with Redis they are none of this database's.
   */
  roundTrips(): number
  close(): Promise<void>
}

/** The message of the protocol of PostgreSQL with which a client ends an exchange. */
const sync = Buffer.from([0x53, 0, 0, 0, 4])

function countOf(part: Buffer, bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(part); at !== -1; at = bytes.indexOf(part, at + part.length)) count += 1
  return count
}

export async function startProxy(socketPath: string): Promise<DatabaseProxy> {
  const open = new Set<Socket>()
  const keep = (socket: Socket): void => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => open.delete(socket))
  }
  let armed = false
  let lost = 0
  let syncs = 0
  const server = createServer(near => {
    const far = connect(socketPath)
    keep(near)
    keep(far)
    near.pipe(far)
    near.on('data', (sent: Buffer) => {
      if (!sent.includes('add_job')) syncs += countOf(sync, sent)
      if (!armed || !/commit/i.test(sent.toString('latin1'))) return
      armed = false
      lost += 1
      far.unpipe(near)
      far.once('data', () => near.destroy())
    })
    far.pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = async (): Promise<void> => {
    if (!server.listening) return
    server.close()
    for (const socket of open) socket.destroy()
    await once(server, 'close')
  }
  return {
    port,
    cut,
    restore: () => listen(port),
    loseNextCommit() {
      armed = true
    },
    commitsLost: () => lost,
    roundTrips: () => syncs,
    close: cut,
  }
}
