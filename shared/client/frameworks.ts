import { Denied, Expired, type GateError, OutcomeUnknown, Rejected, Withdrawn } from './failures.ts'
import type { JsonObject } from './wire.ts'

/** A tool of whatever framework, by its members. */
export type Members = Record<PropertyKey, unknown>
/** What a tool does instead of its own work. */
export type Work = (input: unknown, signal: unknown) => Promise<unknown>

/** The tools of one framework: how they are known, and how they take and give what they do. */
export interface Framework {
  name: string
  knows(tool: Members): boolean
  /** The same tool with other work. */
  wrap(tool: Members, work: Work): object
  /** How it answers what the operation came to. */
  done(detail: JsonObject, tool: Members): unknown
  /** How its model reads of a failure: what is thrown, or answered where a throw would end the run. */
  told(failure: GateError, tool: Members): unknown
}

const claudeAgentSdk: Framework = {
  name: 'the Claude Agent SDK',
  knows: tool => typeof tool.handler === 'function',
  wrap: (tool, work) => ({
    ...tool,
    handler: (input: unknown, extra: unknown) => work(input, memberOf(extra, 'signal')),
  }),
  done: detail => ({ content: [textOf(JSON.stringify(detail))] }),
  told: failure => ({ content: [textOf(failure.message)], isError: true }),
}

const openAiAgents: Framework = {
  name: 'the OpenAI Agents SDK',
  knows: tool => tool.type === 'function' && typeof tool.invoke === 'function',
  wrap: (tool, work) => ({
    ...tool,
    invoke: async (_context: unknown, input: string, details: unknown) =>
      work(JSON.parse(input === '' ? '{}' : input), memberOf(details, 'signal')),
  }),
  done: detail => detail,
  told: failure => failure.message,
}

const langChain: Framework = {
  name: 'LangChain',
  knows: tool => typeof tool._call === 'function' && typeof tool.invoke === 'function',
  wrap: (tool, work) =>
    Object.create(tool, {
      _call: {
        value: (input: unknown, _manager: unknown, config: unknown) =>
          work(input, memberOf(config, 'signal')),
      },
    }),
  done: (detail, { responseFormat }) =>
    responseFormat === 'content_and_artifact' ? [JSON.stringify(detail), detail] : detail,
  // Its agents add "Please fix your mistakes" to whatever is thrown, which a decision must not be told with.
  told(failure, { responseFormat }) {
    if (!endsTheMatter(failure)) throw failure
    return responseFormat === 'content_and_artifact' ? [failure.message, null] : failure.message
  },
}

const aiSdk: Framework = {
  name: 'the Vercel AI SDK',
  knows: tool => typeof tool.execute === 'function' || 'inputSchema' in tool,
  wrap: (tool, work) => ({
    ...tool,
    execute: (input: unknown, call: unknown) => work(input, memberOf(call, 'abortSignal')),
  }),
  done: detail => detail,
  told: thrown,
}

/** In the order in which a tool is compared with them. */
export const frameworks: readonly Framework[] = [claudeAgentSdk, openAiAgents, langChain, aiSdk]

/** Whether nothing is to be mended or tried again: somebody or the time decided, or an operator has to look. */
function endsTheMatter(failure: GateError): boolean {
  if (failure instanceof Denied) return !failure.mendable
  return [Rejected, Expired, Withdrawn, OutcomeUnknown].some(decided => failure instanceof decided)
}

function thrown(failure: GateError): never {
  throw failure
}

function textOf(text: string) {
  return { type: 'text', text }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Members)[name] : undefined
}
