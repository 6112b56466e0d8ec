import type { RequestSpan } from '../../shared/flow/action/decide-approval.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import type { Caller } from '../../shared/flow/mcp/tool-actions.ts'
import type { ToolBooks } from '../../shared/flow/mcp/tool-books.ts'

/** What one authenticated request brings. */
export interface McpRequest {
  context: Context
  books: ToolBooks
  caller: Caller
  span: RequestSpan
  /** The page of tools that was asked for, as JSON; null before, and for any other request. */
  listed: Uint8Array<ArrayBuffer> | null
  /** Hears which action the request is about. */
  about(actionId: string): void
}
