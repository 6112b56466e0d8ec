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
  close(): Promise<void>
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
  const server = createServer(near => {
    const far = connect(socketPath)
    keep(near)
    keep(far)
    near.pipe(far)
    near.on('data', (sent: Buffer) => {
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
    close: cut,
  }
}
