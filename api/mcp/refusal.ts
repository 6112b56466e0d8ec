import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server'
import { type ErrorCode, errorTable, type ServiceError } from '../../shared/contract/base/errors.ts'
import { errorAdvice } from '../../shared/contract/error-advice.ts'
import { asServiceError } from '../http/reply.ts'
import type { McpRequest } from './mcp-request.ts'

const invalidParams = -32602
const internalError = -32603

/** Returns the answer, or turns its error into a tool result with a stable code or into a protocol error. */
export async function refusalOf<Answer extends object>(
  { context }: McpRequest,
  answer: () => Promise<Answer>,
  how: 'result' | 'throw' = 'result',
): Promise<Answer> {
  try {
    return await answer()
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown
    const { error, unexpected } = asServiceError(thrown)
    if (unexpected) context.events.failed('request', thrown)
    const { status } = errorTable[error.code]
    const data = { code: error.code, ...(error.issues.length > 0 ? { errors: error.issues } : {}) }
    if (status >= 500) throw new ProtocolError(internalError, error.message, data)
    if (how === 'throw') throw new ProtocolError(invalidParams, error.message, data)
    return refusedResult(error) as unknown as Answer
  }
}

export function unknownTool(name: string): ProtocolError {
  const message = `no tool ${name.slice(0, 100)}: list the tools again`
  return new ProtocolError(invalidParams, message, { code: 'unknown_tool' })
}

/**
 * Returns a refusal for a model: the problem, the next step and the code. `seconds` is the wait if a retry would
 * help.
 */
export function refusedResult({ code, message, issues }: ServiceError, seconds?: number): CallToolResult {
  const problem = { code, message, ...(issues.length > 0 ? { errors: issues } : {}) }
  const next = seconds === undefined ? nextAfter(code) : waiting(seconds)
  return {
    ...{ resultType: 'complete' },
    content: [
      { type: 'text', text: `Refused: ${message.replace(/[.]$/, '')}. Nothing was done. ${next}` },
      { type: 'text', text: JSON.stringify({ code }) },
    ],
    isError: true,
    _meta: { 'io.action-gate/problem': problem },
  }
}

function waiting(seconds: number): string {
  return `Wait ${seconds} second${seconds === 1 ? '' : 's'}, then make the same call again.`
}

function nextAfter(code: ErrorCode): string {
  if (code === 'validation_failed') return 'Mending it is welcome: correct what is named, and call again.'
  return errorAdvice[code]
}
