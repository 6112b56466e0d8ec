import type { ServerResponse } from 'node:http'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { createEgressGuard } from '../../../shared/actuator/egress/egress-guard.ts'
import type { LookUp } from '../../../shared/actuator/egress/look-up-name.ts'
import { postMessage } from '../../../shared/actuator/post-message.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'

const secrets = [1, 2].map(byte => `whsec_${Buffer.alloc(32, byte).toString('base64')}`)
const body = '{"type":"action.settled"}'
let downstream: Downstream

afterEach(() => downstream.close())

async function answering(answer: (response: ServerResponse) => void): Promise<void> {
  downstream = await startDownstream((_seen, response) => answer(response))
}

/** Each look-up is answered with the next of these addresses, and then with the last. */
function rebinding(...addresses: string[]): LookUp {
  let round = 0
  return (_hostname, _options, callback) => {
    const address = addresses[Math.min(round++, addresses.length - 1)] ?? ''
    callback(null, [{ address, family: 4 }])
  }
}

function post(resolver = rebinding('127.0.0.1'), timeout_ms = 1_000) {
  return postMessage(
    { id: 'msg_1', url: new URL(`http://hook.internal:${downstream.port}/in`), body, secrets },
    {
      guard: createEgressGuard(['hook.internal'], resolver),
      timeout_ms,
      signal: new AbortController().signal,
      user_agent: 'action-gate/test',
    },
  )
}

describe('a message', () => {
  it('verifies with each of its secrets, and with no other', async () => {
    await answering(response => response.writeHead(204).end())
    expect(await post()).toEqual({ status: 204, error: null, retry_after_ms: null })
    const [seen] = downstream.seen
    const headers = seen?.headers as Record<string, string>
    for (const secret of secrets) expect(new Verifier(secret).verify(seen?.body ?? '', headers)).toBeTruthy()
    const other = new Verifier(`whsec_${Buffer.alloc(32, 3).toString('base64')}`)
    expect(() => other.verify(seen?.body ?? '', headers)).toThrow()
    expect(headers).toMatchObject({ 'webhook-id': 'msg_1', 'user-agent': 'action-gate/test' })
  })

  it('goes to the very address that was checked, and not to where its name moves', async () => {
    await answering(response => response.writeHead(204).end())
    expect(await post(rebinding('127.0.0.1', '169.254.169.254'))).toMatchObject({ status: 204 })
    expect(await post(rebinding('169.254.169.254'))).toMatchObject({
      status: null,
      error: expect.stringContaining('egress_refused'),
    })
    expect(downstream.seen).toHaveLength(1)
  })

  it('is answered with the status, however large the rest is', async () => {
    await answering(response => response.writeHead(200).end(Buffer.alloc(5_000_000)))
    expect(await post()).toMatchObject({ status: 200 })
  })

  it('is answered with the status, where the rest never ends', async () => {
    await answering(response => response.writeHead(200).write('a beginning'))
    expect(await post(rebinding('127.0.0.1'), 300)).toMatchObject({ status: 200 })
  })

  it('is not answered by who says nothing', async () => {
    await answering(() => undefined)
    expect(await post(rebinding('127.0.0.1'), 200)).toMatchObject({
      status: null,
      error: expect.stringContaining('longer than 200 ms'),
    })
  })

  it('follows nothing', async () => {
    await answering(response => response.writeHead(307, { location: '/elsewhere' }).end())
    expect(await post()).toMatchObject({ status: 307 })
    expect(downstream.seen).toHaveLength(1)
  })

  it.each([
    [429, '120', 120_000],
    [503, 'soon', null],
    [500, '120', null],
  ])('is put off by %d with %s', async (status, asked, retry_after_ms) => {
    await answering(response => response.writeHead(status, { 'retry-after': asked }).end())
    expect(await post()).toEqual({ status, error: null, retry_after_ms })
  })
})
