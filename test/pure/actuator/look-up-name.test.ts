import { createSocket, type Socket } from 'node:dgram'
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLookUp } from '../../../shared/actuator/egress/look-up-name.ts'

/** A name server that knows 93.184.216.34 and 2606:2800::1 for every name, and does not answer for those of `silent`. */
let server: Socket
let asked: string[]

beforeEach(async () => {
  asked = []
  server = createSocket('udp4', (question, { port, address }) => {
    const name = nameIn(question)
    asked.push(name)
    if (!name.endsWith('.silent')) server.send(answerTo(question), port, address)
  })
  await new Promise<void>(resolve => server.bind(0, '127.0.0.1', resolve))
})

afterEach(() => {
  server.close()
})

function lookUp(hostname: string, listed = false): Promise<LookupAddress[]> {
  const { port } = server.address() as AddressInfo
  const look = createLookUp({ servers: [`127.0.0.1:${port}`], timeout_ms: 300 })
  return new Promise((resolve, reject) => {
    look(hostname, { all: true, listed }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
}

it('finds the addresses of both families', async () => {
  expect(await lookUp('api.example')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2606:2800::1', family: 6 },
  ])
})

it('names whose servers do not answer keep no other waiting, nor a thread', async () => {
  let over = 0
  const silent = Array.from({ length: 50 }, (_, at) =>
    lookUp(`name-${at}.silent`).finally(() => {
      over += 1
    }),
  )
  const answers = Promise.allSettled(silent)
  await expect.poll(() => new Set(asked).size).toBe(50)
  expect(await lookUp('api.example')).toHaveLength(2)
  expect(await lookup('localhost')).toMatchObject({ address: expect.any(String) })
  expect(over).toBe(0)
  for (const answer of await answers) {
    expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'ETIMEOUT' } })
  }
})

it('leaves a name without a dot to the system', async () => {
  const found = (await lookUp('localhost')).map(({ address }) => address)
  expect(found.filter(address => ['127.0.0.1', '::1'].includes(address))).not.toEqual([])
  expect(asked).toEqual([])
})

it('leaves names that the operator lists to the system', async () => {
  expect(await lookUp('127.0.0.1', true)).toEqual([{ address: '127.0.0.1', family: 4 }])
  expect(asked).toEqual([])
})

function nameIn(question: Buffer): string {
  const labels: string[] = []
  for (let at = 12; question[at]; at += (question[at] ?? 0) + 1) {
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)))
  }
  return labels.join('.')
}

/** The question and one address of the type that is asked for. */
function answerTo(question: Buffer): Buffer {
  const end = 12 + nameIn(question).length + 2 + 4
  const type = question.readUInt16BE(end - 4)
  const data =
    type === 28 ? Buffer.from('26062800000000000000000000000001', 'hex') : Buffer.from([93, 184, 216, 34])
  const head = Buffer.from(question.subarray(0, 12))
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(1, 6)
  head.writeUInt16BE(0, 8)
  head.writeUInt16BE(0, 10)
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length])
  return Buffer.concat([head, question.subarray(12, end), record, data])
}
