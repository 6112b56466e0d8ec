import type { PlannedRequest } from '../../../../shared/contract/action/planned-request.ts'

interface Line {
  /** The page's own words. */
  words: string
  /** Foreign text, or null. */
  target: string | null
}

const lines: {
  [Kind in PlannedRequest['kind']]: (request: Extract<PlannedRequest, { kind: Kind }>) => Line
} = {
  http: ({ method, url }) => ({ words: 'This is sent:', target: `${method} ${url}` }),
  mcp: ({ tool }) => ({ words: 'This tool is called:', target: tool }),
  mock: () => ({ words: 'A mock plays it: nothing is sent.', target: null }),
  module: ({ name }) => ({
    words: 'Code of the workers is called with the parameters; what it sends is not known here. Module:',
    target: name,
  }),
  none: ({ code, message }) => ({
    words: 'No request can be made, so it would fail if it were approved:',
    target: `${code}: ${message}`,
  }),
}

/** Describes a planned request in one line. */
export function requestLine(request: PlannedRequest): Line {
  return (lines[request.kind] as (request: PlannedRequest) => Line)(request)
}
