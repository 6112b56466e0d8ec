import type { ServerResponse } from 'node:http'
import { httpActuator } from '../../shared/actuator/http/http-actuator.ts'
import type { HttpSettings } from '../../shared/contract/configuration/http-actuator-schema.ts'
import { surroundings } from '../support/fixtures/actuator-surroundings.ts'
import { type Seen, startDownstream } from '../support/fixtures/http-downstream.ts'
import { type Bench, describeActuator, type Fault, type Subject } from './describe-actuator.ts'

async function open(idempotency: 'key_honoured' | 'none'): Promise<Bench> {
  const done: { key: string; body: string }[] = []
  let fault: Fault | null = null
  const perform = (seen: Seen, response: ServerResponse): void => {
    const key = String(seen.headers['idempotency-key'])
    const earlier = idempotency === 'none' ? undefined : done.find(effect => effect.key === key)
    if (earlier && earlier.body !== seen.body) return void response.writeHead(422).end()
    if (!earlier) done.push({ key, body: seen.body })
    if (fault === 'cut_after_effect') return void response.destroy()
    response.end('{"ok":true}')
  }
  const server = await startDownstream((seen, response) => {
    if (seen.method === 'GET') {
      const found = done.some(({ key }) => seen.url === `/refunds/${key}`)
      return void response.writeHead(found ? 200 : 404).end()
    }
    if (fault === 'refuse') return void response.writeHead(422).end()
    if (fault !== 'hang') perform(seen, response)
  })
  const settings: HttpSettings = {
    base_url: server.url,
    idempotency,
    operations: { refund: { method: 'POST', path: '/refunds' } },
    lookup: { method: 'GET', path: '/refunds/{idempotency_key}', executed: [200] },
  }
  let closing: Promise<void> | null = null
  const close = (): Promise<void> => {
    closing ??= server.close()
    return closing
  }
  return {
    actuator: httpActuator('refunds', settings, surroundings()),
    effects: () => done.length,
    async behave(next) {
      fault = next
      if (next === 'unreachable') await close()
    },
    close,
  }
}

const subject: Omit<Subject, 'open'> = {
  operation: 'refund',
  parameters: [{ charge: 'ch_1' }, { charge: 'ch_2' }],
  faults: ['refuse', 'cut_after_effect', 'hang', 'unreachable'],
}

describeActuator('http, whose downstream honours the key', { ...subject, open: () => open('key_honoured') })
describeActuator('http, whose downstream does not', { ...subject, open: () => open('none') })
