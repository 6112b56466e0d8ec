import type { RequestSpan } from '../../shared/flow/action/decide-approval.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import type { Caller } from '../../shared/flow/mcp/tool-actions.ts'
import type { ToolBooks } from '../../shared/flow/mcp/tool-books.ts'

export interface McpRequest {
  context: Context
  books: ToolBooks
  caller: Caller
  span: RequestSpan
  /** The page of tools that the request asked for, as JSON; null until `tools/list` has answered. */
  listed: Uint8Array<ArrayBuffer> | null
  /** Records the action that the request is about. */
  about(actionId: string): void
}
