import type { PlannedRequest } from '../../../shared/contract/action/planned-request.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import type { ToolTested } from '../../../shared/contract/configuration/tool-import.ts'
import { Refusal, type Terminal } from './terminal.ts'
import type { ToolDesk } from './tool-desk.ts'

export interface Trying {
  operation: string
  parameters: string
  system?: string | undefined
  confirm?: boolean | undefined
}

export async function tryTool(desk: ToolDesk, terminal: Terminal, trying: Trying): Promise<void> {
  const parameters = readParameters(trying.parameters)
  const system = trying.system ?? (await systemOf(desk, trying.operation))
  const { operation } = trying
  const call = (confirm: boolean) =>
    desk.call<ToolTested>('POST', `/tools/${encodeURIComponent(system)}/test`, {
      operation,
      parameters,
      confirm,
    })
  const first = await call(trying.confirm ?? false)
  terminal.say(requestLines(first.request).join('\n'))
  if (first.sent !== 'not_confirmed') return told(terminal, first)
  const warning = `${operation} may change something there`
  if (!terminal.asks) throw new Refusal(`nothing was called: ${warning}; --confirm calls it`)
  if (!(await terminal.confirm(`\n${warning}. Call it?`))) throw new Refusal('nothing was called')
  told(terminal, await call(true))
}

const hindrances = {
  outside_schema: 'nothing was called: the parameters are outside the schema of the catalog',
  frozen: 'nothing was called: it is frozen',
  not_confirmed: 'nothing was called',
  no_worker: 'nothing was called: no live worker that has its credentials took it; start one, and try again',
  too_many: 'nothing was called: other test calls are under way; try again when they have ended',
} as const

/** Throws if the operation was not called or did not succeed. */
function told(terminal: Terminal, { sent, test_id, verdict, answer, problems }: ToolTested): void {
  if (sent !== 'called' || verdict === null) {
    const places = problems.map(({ path, message }) => `  ${path}: ${message}`)
    throw new Refusal([sent === 'called' ? 'nothing was called' : hindrances[sent], ...places].join('\n'))
  }
  const lines = answer === null ? [] : answerLines(answer)
  const { outcome, rule, message } = verdict
  terminal.say(['', ...lines, '', `${outcome} by ${rule}: ${message}`].join('\n'))
  const recorded = `recorded as ${test_id}, which is no action`
  if (outcome !== 'executed') throw new Refusal(recorded)
  terminal.say(recorded)
}

const linesOf: {
  [Kind in PlannedRequest['kind']]: (request: Extract<PlannedRequest, { kind: Kind }>) => string[]
} = {
  http: ({ method, url, headers, body, auth }) => [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${textOf(value as JsonValue)}`),
    ...(auth === null ? [] : [`authenticates with ${auth.type}`]),
    ...(body === undefined ? [] : ['', textOf(body)]),
  ],
  mcp: ({ tool, arguments: given }) => [`tool ${tool}`, textOf(given)],
  mock: ({ operation }) => [`mock ${operation}`],
  module: ({ operation }) => [`module ${operation}`],
  none: ({ message }) => [`no request: ${message}`],
}

function requestLines(request: PlannedRequest): string[] {
  return (linesOf[request.kind] as (request: PlannedRequest) => string[])(request)
}

function answerLines({ status, headers, body, truncated }: NonNullable<ToolTested['answer']>): string[] {
  const type = headers['content-type']
  const head = status === null ? [] : [type === undefined ? `${status}` : `${status} ${type}`]
  return [...head, textOf(body), ...(truncated ? ['… and more'] : [])]
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

function readParameters(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw new Refusal(`the parameters are no JSON: ${text}`)
  }
}

async function systemOf(desk: ToolDesk, operation: string): Promise<string> {
  const { tools } = await desk.call<{ tools: { system: string }[] }>('GET', '/tools')
  const views = await Promise.all(
    tools.map(({ system }) =>
      desk.call<{ system: string; operations: { operation: string }[] }>(
        'GET',
        `/tools/${encodeURIComponent(system)}`,
      ),
    ),
  )
  const having = views.filter(({ operations }) => operations.some(one => one.operation === operation))
  const [only, ...others] = having.map(({ system }) => system)
  if (only === undefined) throw new Refusal(`no tool of ${desk.tenant} has an operation ${operation}`)
  if (others.length === 0) return only
  throw new Refusal(`say which tool with --system: ${[only, ...others].join(', ')}`)
}
