import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StartupError } from '../outage.ts'

export interface Port {
  host: string
  port: number
  setting: string
}

/** Takes a port and returns its URL. Rejects with a StartupError if the port is not available. */
export async function listenOnPort(server: Server, { host, port, setting }: Port): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hint =
        error.code === 'EADDRINUSE'
          ? `another process listens there; choose another ${setting}`
          : error.message
      reject(new StartupError(`cannot listen on ${host}:${port}: ${hint}`))
    })
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${name}:${address.port}`
}

/** A gate in front of a listener. Requests that arrive before `open` wait until `open`. */
export interface StartupGate {
  listener: RequestListener
  open(): void
  isOpen(): boolean
}

export function createStartupGate(listener: RequestListener): StartupGate {
  let waiting: (() => void)[] | null = []
  return {
    listener(request, response) {
      if (waiting === null) listener(request, response)
      else waiting.push(() => listener(request, response))
    },
    open() {
      const first = waiting ?? []
      waiting = null
      for (const serve of first) serve()
    },
    isOpen: () => waiting === null,
  }
}
