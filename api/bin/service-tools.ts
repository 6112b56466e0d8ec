#!/usr/bin/env node
import { aboutCommand, readCommandLine } from '../../shared/command-line.ts'
import { readServiceAccess } from '../../shared/runtime/settings/config.ts'
import { addTool } from './tools/add-tool.ts'
import { listTools } from './tools/show-tool.ts'
import { openTerminal, Refusal } from './tools/terminal.ts'
import { openDesk } from './tools/tool-desk.ts'
import { tryTool } from './tools/try-tool.ts'

const usage = `service-tools add SOURCE [flags]              shows what an import would make, and applies it once it is confirmed
service-tools try OPERATION [JSON] [flags]    renders a request and calls it as a test; it is never an action
service-tools list                            what the tenant has

SOURCE is an OpenAPI 3 document, as a file or URL, or with --mcp a Model Context Protocol server: its URL, or its name in
SERVICE_MCP_SERVERS. JSON has the parameters.

  --url URL            of the service; ACTION_GATE_URL or http://127.0.0.1:8080 where not given
  --tenant NAME        ACTION_GATE_TENANT, or the only tenant, where not given
  --system NAME        of the tool; made of its title where not given
  --only A,B           imports these operations, and leaves the others of the tool as they are
  --base-url URL       where it is called, whatever the document says
  --mcp                SOURCE is a Model Context Protocol server
  --bearer NAME        secret that the server asks for: a variable of the workers, or a stored secret;
                       on a terminal its value is asked for, and --secret NAME=FILE gives it
  --secret NAME=FILE   stores the content of the file as a secret of the tool; may be repeated
  --local              lets actuators call a host of this machine, in embedded mode
  --confirm            calls an operation that may change something
  --yes                applies without asking

The key of an operator is read from ACTION_GATE_ADMIN_KEY. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
`

const flags = {
  url: { type: 'string' },
  tenant: { type: 'string' },
  system: { type: 'string' },
  only: { type: 'string' },
  'base-url': { type: 'string' },
  mcp: { type: 'boolean' },
  bearer: { type: 'string' },
  secret: { type: 'string', multiple: true },
  local: { type: 'boolean' },
  confirm: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const

class WrongUsage extends Error {}

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const about = aboutCommand(args, usage)
  if (about !== null) {
    process.stdout.write(about)
    return
  }
  const { values, positionals } = parsed(args)
  const [word, subject, ...more] = positionals
  const terminal = openTerminal()
  const access = readServiceAccess()
  const desk = () =>
    openDesk({ ...access, url: values.url ?? access.url, tenant: values.tenant ?? access.tenant })
  if (word === 'list' && subject === undefined) return listTools(await desk(), terminal)
  if (word === 'add' && subject !== undefined && more.length === 0)
    return addTool(await desk(), terminal, { ...values, source: subject })
  if (word === 'try' && subject !== undefined && more.length <= 1)
    return tryTool(await desk(), terminal, { ...values, operation: subject, parameters: more[0] ?? '{}' })
  throw new WrongUsage('say add, try or list, and what')
}

function parsed(args: readonly string[]) {
  try {
    return readCommandLine(args, flags)
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : String(error))
  }
}

try {
  await main()
} catch (error) {
  const isUsage = error instanceof WrongUsage
  const text = isUsage || error instanceof Refusal ? error.message : String(error)
  process.stderr.write(`${text}\n${isUsage ? `\n${usage}` : ''}`)
  process.exitCode = isUsage ? 2 : 1
}
