import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

export interface Asking {
  method: string
  path: string
  headers: Record<string, string>
  json?: object
}

/** What a load balancer does: takes turns among the servers that are ready, by probes of `/v1/ready`. */
export interface Balanced {
  /** Status 0: the connection broke, which nobody may repeat for the caller. */
  ask(asking: Asking): Promise<{ status: number; text: string }>
  /** Connections that were refused, so that nothing was sent, and that another server took. */
  retried(): number
  close(): void
}

const probeMs = 100

export function balance(urls: () => readonly string[]): Balanced {
  const agents = new Map<string, Agent>()
  let ready: readonly string[] = urls()
  let turn = 0
  let retried = 0
  const agentOf = (url: string): Agent => {
    const agent = agents.get(url) ?? new Agent({ keepAlive: true, maxSockets: 64 })
    agents.set(url, agent)
    return agent
  }

  const probe = async (): Promise<void> => {
    const all = urls()
    const answers = await Promise.all(
      all.map(url => send(url, new Agent(), { method: 'GET', path: '/v1/ready', headers: {} })),
    )
    ready = all.filter((_, n) => answers[n]?.status === 200)
  }
  const probing = setInterval(() => void probe(), probeMs)

  const ask = async (asking: Asking, tries = 0): Promise<{ status: number; text: string }> => {
    const url = ready[turn++ % ready.length]
    if (url === undefined) {
      await delay(probeMs)
      return { status: 0, text: 'no server is ready' }
    }
    const answer = await send(url, agentOf(url), asking)
    if (answer.text !== 'ECONNREFUSED' || tries === 3) return answer
    retried += 1
    ready = ready.filter(one => one !== url)
    return ask(asking, tries + 1)
  }

  return {
    ask: asking => ask(asking),
    retried: () => retried,
    close() {
      clearInterval(probing)
      for (const agent of agents.values()) agent.destroy()
    },
  }
}

function send(
  url: string,
  agent: Agent,
  { method, path, headers, json }: Asking,
): Promise<{ status: number; text: string }> {
  const body = json === undefined ? undefined : JSON.stringify(json)
  const described = body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise(resolve => {
    const sending = request(url + path, { method, agent, headers: { ...headers, ...described } }, answer => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', part => (text += part))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      answer.on('error', error => resolve({ status: 0, text: String(error) }))
    })
    sending.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ status: 0, text: error.code ?? String(error) }),
    )
    sending.end(body)
  })
}
