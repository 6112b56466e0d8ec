import { limits } from '../../../shared/contract/base/limits.ts'
import { exampleOperation } from '../../../shared/contract/examples/example-policy.ts'
import { toolChange } from '../../../shared/contract/examples/example-tools.ts'
import { validRequest } from '../valid-request.ts'
import { provedWays, takingNothing } from './proved-ways.ts'
import type { Way } from './way.ts'

/** A tool whose refund has no parameters. */
const changedTool = { actuator: toolChange.actuator, operations: takingNothing.operations }

export const changeWays: Readonly<Record<string, Way>> = provedWays(changedTool)
export const removeWays: Readonly<Record<string, Way>> = provedWays({})

const ofNoTool: Way = (operation, { world: { known } }) => ({
  asked: validRequest(operation, { ...known, params: { ...known.params, system: 'nobody' } }),
})

const withBody =
  (body: object): Way =>
  (operation, { world: { known } }) => ({
    asked: { ...validRequest(operation, known), body: JSON.stringify(body) },
  })

const unread: Way = (operation, { world: { known }, refusing }) => ({
  asked: validRequest(operation, known),
  url: refusing.unread,
})

const tooLarge: Way = (operation, { world: { known } }) => ({
  asked: { ...validRequest(operation, known), body: ' '.repeat(limits.import_body_bytes_max + 1) },
})

const versions = withBody({ ...toolChange, operations: [exampleOperation], expected_version: 99_999 })
const unreadable = withBody({ source: { kind: 'openapi', text: 'hello' } })

/** How to come to the answers about tools, of an operator and of an owner. */
export const toolWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  read_tool: { tool_not_found: ofNoTool },
  read_owned_tool: { tool_not_found: ofNoTool },
  read_tool_health: { tool_not_found: ofNoTool },
  read_owned_tool_health: { tool_not_found: ofNoTool },
  test_tool: { tool_not_found: ofNoTool },
  test_owned_tool: { tool_not_found: ofNoTool },
  import_tool: { source_refused: unreadable, overloaded: unread, body_too_large: tooLarge },
  import_owned_tool: { source_refused: unreadable, overloaded: unread, body_too_large: tooLarge },
  change_tool: {
    ...changeWays,
    revision_mismatch: versions,
    overloaded: unread,
    body_too_large: tooLarge,
  },
  remove_tool: { ...removeWays, tool_not_found: ofNoTool },
  allow_local_host: {
    200: (operation, { world: { known }, refusing }) => ({
      asked: validRequest(operation, known),
      url: refusing.embedded,
    }),
    not_embedded: (operation, { world: { known } }) => ({ asked: validRequest(operation, known) }),
  },
}

export const ownedToolWays = { versions, unread, ofNoTool, tooLarge }
