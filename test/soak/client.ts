import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** A client that keeps few connections, and asks again where it is turned away, as a client of the service does. */
export interface Client {
  url: string
  /** Rejects for an answer that the story does not allow for. */
  call(path: string, key: string, call?: Call): Promise<Answer>
  requests(): number
  turnedAway(): number
  close(): void
}

export interface Call {
  body?: object
  etag?: string | null
}

export interface Answer {
  status: number
  etag: string | null
  body: { action_id?: string; action_status?: string }
}

const connectionsMax = 32
const answerMsMax = 15_000
const triesMax = 6
const againMs = 500

export function createClient(url: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax })
  let requests = 0
  let turnedAway = 0
  return {
    url,
    requests: () => requests,
    turnedAway: () => turnedAway,
    close: () => agent.destroy(),
    async call(path, key, call = {}) {
      for (let tries = 1; ; tries += 1) {
        requests += 1
        const answer = await exchange(agent, `${url}${path}`, key, call).catch((error: unknown) => error)
        const again = answer instanceof Error || isRefusal(answer as Answer)
        if (!again) return mustBeFine(path, answer as Answer, tries)
        turnedAway += 1
        if (tries === triesMax) throw new Error(`${path} was turned away ${tries} times: ${String(answer)}`)
        await pause(againMs * tries)
      }
    },
  }
}

function isRefusal({ status }: Answer): boolean {
  return status === 429 || status === 503
}

/** After a try that nobody answered, a conflict says that it was done. */
function mustBeFine(path: string, answer: Answer, tries: number): Answer {
  if (answer.status < 400 || (tries > 1 && answer.status === 409)) return answer
  throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 200)}`)
}

function exchange(agent: Agent, url: string, key: string, { body, etag }: Call): Promise<Answer> {
  const bytes = body ? Buffer.from(JSON.stringify(body)) : null
  const headers = {
    authorization: `Bearer ${key}`,
    ...(etag ? { 'if-none-match': etag } : {}),
    ...(bytes
      ? { 'content-type': 'application/json', 'content-length': bytes.length, prefer: 'wait=0' }
      : {}),
  }
  return new Promise((resolve, reject) => {
    const call = request(url, { method: bytes ? 'POST' : 'GET', agent, headers, timeout: answerMsMax })
    call.on('timeout', () => call.destroy(new Error(`${url} did not answer in ${answerMsMax} ms`)))
    call.on('error', reject)
    call.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const read = text === '' ? {} : (JSON.parse(text) as Answer['body'])
        resolve({ status: response.statusCode ?? 0, etag: response.headers.etag ?? null, body: read })
      })
    })
    call.end(bytes ?? undefined)
  })
}
