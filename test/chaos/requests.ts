import type { JournalLine } from './check/evidence.ts'
import type { RunKey, RunKeys } from './mint-keys.ts'
import type { World } from './world.ts'

/** The clients of a run: every request that changes something is written into the journal with what is known of it. */
export interface Requests {
  send(api: string, asked: Asked): Promise<Answered>
  /** Requests that wait for this API, or for any of them; one to an API that is not up is none, and not written down. */
  open(api: string | null): number
}

export interface Asked {
  op: JournalLine['op']
  tenant_id: string
  proposal_id: string
  /** Of a decision. */
  action_id: string | null
  body: object
  /** Which of the tenant's approvers decides. */
  approver: number
  /** How long the API may hold the answer back, until there is an outcome. */
  wait_s: number
}

/** `info`: nobody knows whether it was done. */
export interface Answered {
  result: JournalLine['result']
  action_id: string | null
  action_status: string | null
}

const answerMsMax = 6_000

export function createRequests(
  { processes, keys }: Pick<World, 'processes' | 'keys'>,
  journal: (line: JournalLine) => void,
): Requests {
  const open = new Map<string, number>()
  const count = (api: string, more: 1 | -1): void => void open.set(api, (open.get(api) ?? 0) + more)
  const exchange = async (
    api: string,
    url: string,
    asked: Asked,
    { secret }: RunKey,
  ): Promise<{ status: number; body: Body } | null> => {
    count(api, 1)
    try {
      const response = await fetch(`${url}${pathOf(asked)}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          prefer: `wait=${asked.wait_s}`,
        },
        body: JSON.stringify(asked.body),
        signal: AbortSignal.timeout(answerMsMax),
      })
      return { status: response.status, body: (await response.json()) as Body }
    } catch {
      return null // broken off, refused or too late: that says nothing about what was done
    } finally {
      count(api, -1)
    }
  }
  return {
    open: api =>
      api === null ? [...open.values()].reduce((sum, each) => sum + each, 0) : (open.get(api) ?? 0),
    async send(api, asked) {
      const begun = Date.now()
      const url = processes.get(api)?.ready()?.url
      if (url === undefined) return { result: 'info', action_id: null, action_status: null }
      const key = keyFor(keys, asked)
      const answer = await exchange(api, String(url), asked, key)
      const { op, tenant_id, proposal_id } = asked
      const result = resultOf(answer?.status)
      const action_id = asked.action_id ?? (result === 'ok' ? (answer?.body.action_id ?? null) : null)
      const about = { op, tenant_id, proposal_id, action_id, by: key.key_id, api }
      const known = { ...about, begun, ended: Date.now(), result }
      journal({ ...known, status: answer?.status ?? null, code: answer?.body.code ?? null })
      return { result, action_id, action_status: answer?.body.action_status ?? null }
    },
  }
}

interface Body {
  action_id?: string
  action_status?: string
  code?: string
}

/** As it is now: keys are replaced during a run. */
function keyFor(keys: RunKeys, { op, tenant_id, approver }: Asked): RunKey {
  const held = keys.tenants.get(tenant_id)
  const key = op === 'submit' || op === 'cancel' ? held?.agent : held?.approvers[approver]
  if (key === undefined) throw new Error(`${tenant_id} has no key for ${op}`)
  return key
}

function pathOf({ op, action_id }: Asked): string {
  return op === 'submit' ? '/v1/actions' : `/v1/actions/${action_id}/${op}`
}

/** An error of the server may come after the deed, so it is no more than a missing answer. */
function resultOf(status: number | undefined): JournalLine['result'] {
  if (status === undefined || status >= 500) return 'info'
  return status < 400 ? 'ok' : 'fail'
}
