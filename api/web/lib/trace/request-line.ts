import type { PlannedRequest } from '../../../../shared/contract/action/planned-request.ts'

/** Describes a planned request in one line: `words` are the page's own, and `target` is foreign text or null. */
export function requestLine(request: PlannedRequest): { words: string; target: string | null } {
  switch (request.kind) {
    case 'http':
      return { words: 'This is sent:', target: `${request.method} ${request.url}` }
    case 'mcp':
      return { words: 'This tool is called:', target: request.tool }
    case 'mock':
      return { words: 'A mock plays it: nothing is sent.', target: null }
    case 'module':
      return {
        words: 'Code of the workers is called with the parameters; what it sends is not known here. Module:',
        target: request.name,
      }
    case 'none':
      return {
        words: 'No request can be made, so it would fail if it were approved:',
        target: `${request.code}: ${request.message}`,
      }
  }
}
