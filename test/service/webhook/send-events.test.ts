import { getEventListeners } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { sendEvents } from '../../../api/http/reply.ts'
import { createOpenStreams } from '../../../shared/runtime/process/open-streams.ts'
import { type EventStream, openStream } from '../../support/service/event-stream.ts'

/** A stream without an end, each of whose texts is a page as large as they come. */
const page = `: ${'x'.repeat(64 * 1024)}\n\n`
/** More than any kernel keeps for a connection over loopback. */
const keptMax = 64 * 1024 * 1024

let server: Server
let stream: EventStream

afterEach(async () => {
  stream.close()
  await new Promise(resolve => server.close(resolve))
})

interface Sent {
  pages: number
  /** Whether the stream was left, by whoever left it. */
  left: boolean
  failure: unknown
}

/** Serves endless pages, or pages until `count` of them; what was asked of the stream is counted. */
async function serve(settings: {
  stalledMs: number
  cut?: AbortSignal
  failAt?: number
  everyMs?: number
}): Promise<Sent> {
  const sent: Sent = { pages: 0, left: false, failure: null }
  async function* pages() {
    try {
      while (sent.pages !== settings.failAt) {
        sent.pages += 1
        if (settings.everyMs) await delay(settings.everyMs)
        yield settings.everyMs ? ': a little\n\n' : page
      }
      throw new Error('the stream fails')
    } finally {
      sent.left = true
    }
  }
  server = createServer((_request, response) => {
    const { cut = new AbortController().signal, stalledMs } = settings
    sendEvents(response, pages(), cut, stalledMs).catch(error => {
      sent.failure = error
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  stream = await openStream(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, '/', {})
  return sent
}

describe('a client that reads nothing', () => {
  it('is cut off, and what waits for it is bounded', async () => {
    const sent = await serve({ stalledMs: 300 })
    stream.pause()
    await expect.poll(() => sent.left, { timeout: 10_000 }).toBe(true)
    expect(sent.pages * page.length).toBeLessThan(keptMax)
    expect(sent.failure).toBeNull()
  })

  it('does not hold up the end of the service', async () => {
    const cutting = new AbortController()
    const sent = await serve({ stalledMs: 60_000, cut: cutting.signal })
    stream.pause()
    await stalled(sent)
    cutting.abort()
    await expect.poll(() => sent.left).toBe(true)
    expect(sent.failure).toBeNull()
  })
})

describe('a client that reads', () => {
  it('gets as much as it takes, and the stream is left when it goes', async () => {
    const sent = await serve({ stalledMs: 60_000 })
    await stream.until(() => stream.events.length > 100)
    stream.close()
    await expect.poll(() => sent.left).toBe(true)
    expect(sent.failure).toBeNull()
  })

  it('sees a stream that fails end in the middle, and the failure is told', async () => {
    const sent = await serve({ stalledMs: 60_000, failAt: 10 })
    await stream.ended
    expect(sent.failure).toEqual(new Error('the stream fails'))
  })

  it('may come by the dozen without a warning', async () => {
    const warnings: Error[] = []
    const warned = (warning: Error) => warnings.push(warning)
    process.on('warning', warned)
    const { cut } = createOpenStreams()
    const sent = await serve({ stalledMs: 60_000, cut, everyMs: 20 })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const more = await Promise.all(Array.from({ length: 40 }, () => openStream(url, '/', {})))
    for (const one of more) one.close()
    await Promise.all(more.map(({ ended }) => ended))
    process.off('warning', warned)
    expect(warnings).toEqual([])
    stream.close()
    await expect.poll(() => getEventListeners(cut, 'abort').length).toBe(0)
    expect(sent.failure).toBeNull()
  })
})

/** Waits until nothing more is asked of the stream. */
async function stalled(sent: Sent): Promise<void> {
  const pages: number[] = []
  const asked = () => {
    pages.push(sent.pages)
    return pages.at(-1) === pages.at(-2)
  }
  await expect.poll(asked, { interval: 100, timeout: 10_000 }).toBe(true)
}
