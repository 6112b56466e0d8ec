import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server'
import { errorTable, type ServiceError } from '../../shared/contract/base/errors.ts'
import { asServiceError } from '../http/reply.ts'
import type { McpRequest } from './mcp-request.ts'

const invalidParams = -32602
const internalError = -32603

/** What a request asked for, or its refusal: a tool result with a stable code, or an error of the protocol. */
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

function refusedResult({ code, message, issues }: ServiceError): CallToolResult {
  const problem = { code, message, ...(issues.length > 0 ? { errors: issues } : {}) }
  return {
    content: [{ type: 'text', text: JSON.stringify(problem) }],
    isError: true,
    _meta: { 'io.action-gate/problem': problem },
  }
}
