import { afterEach, describe, expect, it } from 'vitest'
import { httpActuator } from '../../../shared/actuator/http/http-actuator.ts'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { invocationOf, surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import { startDownstream } from '../../support/fixtures/http-downstream.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
})

describe('a secret that is echoed', () => {
  const echoed = async (secret: string, body: string, status = 200) => {
    const server = await startDownstream((_, response) => response.writeHead(status).end(body))
    opened.push(server)
    const settings: HttpSettings = {
      base_url: server.url,
      auth: { type: 'bearer', token: { env: 'ACTUATOR_ECHOED' } },
      operations: { refund: { method: 'POST', path: '/refunds' } },
    }
    const around = surroundings({ secrets: new Map([['ACTUATOR_ECHOED', secret]]) })
    return httpActuator('crm', settings, around).invoke(invocationOf({ operation: 'refund' }))
  }

  it.each([
    ['with an escaped slash', '{"got":"abc\\/def+ghi=="}'],
    ['with a character by its number', '{"got":"abc/def\\u002Bghi=="}'],
    ['as it is', '{"got":"abc/def+ghi=="}'],
  ])('%s is not told', async (_, body) => {
    expect(await echoed('abc/def+ghi==', body)).toMatchObject({ detail: { body: { got: '[redacted]' } } })
    const refusal = await echoed('abc/def+ghi==', body, 422)
    expect(refusal).toMatchObject({ class: 'failed', message: 'status 422: {"got":"[redacted]"}' })
  })

  it('is not told as a name or within a number', async () => {
    expect(await echoed('123456', '{"123456":[91234567,7]}')).toMatchObject({
      class: 'ok',
      detail: { body: { '[redacted]': ['[redacted]', 7] } },
    })
  })

  it('leaves an answer legible where an escape and the secret share a character', async () => {
    expect(await echoed('n-secret', '{"got":"line\\n-secret"}')).toMatchObject({
      class: 'ok',
      detail: { body: { got: 'line\n-secret' } },
    })
  })
})
