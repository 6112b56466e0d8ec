import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { freeSocket, sayListening, socketPath } from './listen-on-socket.ts'

/** The reference server `everything` of the Model Context Protocol, over HTTP. It listens where PORT says, a path included. */
const lookMs = 20
process.env.PORT = socketPath
process.argv[2] = 'streamableHttp'
freeSocket()
const name = '@modelcontextprotocol/server-everything/dist/index.js'
await import(name)
while (!(await answers())) await pause(lookMs)
sayListening()

function answers(): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(socketPath, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
