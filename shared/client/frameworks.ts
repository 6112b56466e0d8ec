import { Denied, Expired, type GateError, OutcomeUnknown, Rejected, Withdrawn } from './failures.ts'
import type { JsonObject } from './wire.ts'

export type Members = Record<PropertyKey, unknown>
export type Work = (input: unknown, signal: unknown) => Promise<unknown>

export interface Framework {
  name: string
  knows(tool: Members): boolean
  wrap(tool: Members, work: Work): object
  done(detail: JsonObject, tool: Members): unknown
  /** Throws the failure so that the model reads it, or returns it if a throw would end the agent's run. */
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
  // LangChain's agents add "Please fix your mistakes" to a thrown error; that is wrong for a final decision.
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

export const frameworks: readonly Framework[] = [claudeAgentSdk, openAiAgents, langChain, aiSdk]

/** Returns true if the model should not retry, because the decision is final or an operator must look. */
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
