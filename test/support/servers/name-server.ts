import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A name server that gives every name the same addresses, as that of a composition does for the one it is asked for. */
export interface NameServer {
  port: number
  /** IPv4 addresses; with none there is no such name. */
  set(addresses: readonly string[]): void
  /** Resolves when somebody asked once more. */
  asked(): Promise<unknown>
  close(): void
}

const ofAddress = 1

export async function startNameServer(): Promise<NameServer> {
  let addresses: readonly string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    socket.send(answerTo(question, addresses), port, address)
    socket.emit('asked')
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    set: given => {
      addresses = given
    },
    asked: () => once(socket, 'asked'),
    close: () => socket.close(),
  }
}

/** RFC 1035, 4.1: the header and the question come back, and each record names the question by its place. */
function answerTo(message: Buffer, addresses: readonly string[]): Buffer {
  const nameEnd = message.indexOf(0, 12)
  const question = message.subarray(12, nameEnd + 5)
  const records = message.readUInt16BE(nameEnd + 1) === ofAddress ? addresses.map(recordOf) : []
  const header = Buffer.alloc(12)
  message.copy(header, 0, 0, 2)
  header.writeUInt16BE(addresses.length === 0 ? 0x8583 : 0x8580, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, question, ...records])
}

function recordOf(address: string): Buffer {
  const [pointer, type, internet, lifetime, length] = [
    [0xc0, 12],
    [0, ofAddress],
    [0, 1],
    [0, 0, 0, 0],
    [0, 4],
  ]
  return Buffer.from([pointer, type, internet, lifetime, length, address.split('.').map(Number)].flat())
}
