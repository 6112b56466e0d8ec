import { existsSync, readFileSync } from 'node:fs'
import { bearerName } from '../../../shared/contract/base/bearer-name.ts'
import type { ChangedTool, ToolProposal } from '../../../shared/contract/configuration/tool-import.ts'
import { narrowSource } from '../../../shared/flow/tool/narrow-source.ts'
import { addressOf, proposalLines } from './show-tool.ts'
import { Refusal, type Terminal } from './terminal.ts'
import { Refused, type ToolDesk } from './tool-desk.ts'

export interface Adding {
  source: string
  system?: string | undefined
  only?: string | undefined
  'base-url'?: string | undefined
  mcp?: boolean | undefined
  bearer?: string | undefined
  secret?: string[] | undefined
  local?: boolean | undefined
  yes?: boolean | undefined
}

export async function addTool(desk: ToolDesk, terminal: Terminal, adding: Adding): Promise<void> {
  const secrets = readSecrets(adding)
  const proposal = await proposed(desk, terminal, { adding, secrets })
  terminal.say(proposalLines(proposal).join('\n'))
  if (isSettled(proposal)) {
    terminal.say(`\nnothing changed: ${proposal.system} is as its source says`)
    await storeSecrets(desk, terminal, { proposal, secrets })
    return
  }
  const { system, actuator, operations, version, denied } = proposal
  const also = denied.length === 0 ? '' : ', and deny what has no entry'
  await confirmed(terminal, adding, `\nApply this to ${desk.tenant} as one revision${also}?`)
  const applied = await desk.call<ChangedTool>('PUT', `/tools/${encodeURIComponent(system)}`, {
    actuator,
    operations: operations.flatMap(({ entry }) => (entry === null ? [] : [entry])),
    allowed: operations.filter(({ allowed }) => allowed).map(({ operation }) => operation),
    expected_version: version,
  })
  const { policy_revision, catalog_revision } = applied
  terminal.say(`applied: policy revision ${policy_revision}, catalog revision ${catalog_revision}`)
  await storeSecrets(desk, terminal, { proposal, secrets })
}

function isSettled({ operations, gone }: ToolProposal): boolean {
  return gone.length === 0 && operations.every(({ changes }) => changes.length === 0)
}

/** Asks for the proposal, and again if the user has allowed a host of this machine. */
async function proposed(desk: ToolDesk, terminal: Terminal, asking: Asking): Promise<ToolProposal> {
  const { adding } = asking
  const ask = () => desk.call<ToolProposal>('POST', '/tool-imports', requestOf(asking))
  const first = await mendUntilAnswered(desk, terminal, { asking, ask })
  const called = localHostOf(addressOf(first.actuator))
  const isRefused = first.warnings.some(({ code }) => code === 'egress_refused')
  if (called === null || !isRefused) return first
  await allowHost(desk, terminal, { host: called, adding })
  return ask()
}

interface Asking {
  adding: Adding
  secrets: Map<string, string>
}

/** Asks the user about each obstacle to reading the source, each one once. */
async function mendUntilAnswered(
  desk: ToolDesk,
  terminal: Terminal,
  { asking, ask }: { asking: Asking; ask(): Promise<ToolProposal> },
): Promise<ToolProposal> {
  const mended = new Set<Hindrance>()
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const hindrance = hindranceOf(error)
      if (hindrance === null || mended.has(hindrance)) throw error
      mended.add(hindrance)
      if (!(await mend(desk, terminal, { asking, hindrance }))) throw error
    }
  }
}

async function mend(
  desk: ToolDesk,
  terminal: Terminal,
  { asking, hindrance }: { asking: Asking; hindrance: Hindrance },
): Promise<boolean> {
  const { adding } = asking
  if (hindrance === 'bearer') {
    if (terminal.asks) await typeBearer(terminal, asking)
    return terminal.asks
  }
  const host = localHostOf(adding.source)
  if (host !== null) await allowHost(desk, terminal, { host, adding })
  return host !== null
}

type Hindrance = 'host' | 'bearer'

function hindranceOf(error: unknown): Hindrance | null {
  if (!(error instanceof Refused)) return null
  if (error.has('egress_refused')) return 'host'
  return proofCodes.some(code => error.has(code)) ? 'bearer' : null
}

/** Codes that say that the server wants a bearer token, or that the named one is missing or unreadable. */
const proofCodes = ['credential_refused', 'secret_missing', 'secret_unreadable']

async function typeBearer(terminal: Terminal, { adding, secrets }: Asking): Promise<void> {
  const name = adding.bearer ?? bearerName(adding.system ?? adding.source)
  if ('env' in referenceTo(name))
    throw new Refusal(
      `the server refuses ${name}: set it where the workers run, or name a secret in small letters`,
    )
  const value = await terminal.hidden(`${name}, the bearer token of the server (not shown):`)
  if (value === '') throw new Refusal('nothing was written')
  adding.bearer = name
  secrets.set(name, value)
}

function requestOf({ adding: { source, system, only, ...adding }, secrets }: Asking): object {
  const value = adding.bearer === undefined ? undefined : secrets.get(adding.bearer)
  return {
    source: sourceOf({ source, only, ...adding }),
    ...(value === undefined ? {} : { secrets: { [adding.bearer as string]: value } }),
    ...(system === undefined ? {} : { system }),
    ...(adding['base-url'] === undefined ? {} : { base_url: adding['base-url'] }),
    ...(only === undefined ? {} : { only: only.split(',') }),
  }
}

function sourceOf({ source, mcp, bearer, only }: Adding): object {
  const isUrl = /^https?:\/\//.test(source)
  if (mcp && !isUrl) return { kind: 'mcp', transport: { type: 'stdio', server: source } }
  if (mcp) {
    const proof = bearer === undefined ? {} : { bearer: referenceTo(bearer) }
    return { kind: 'mcp', transport: { type: 'streamable_http', url: source, ...proof } }
  }
  if (isUrl) return { kind: 'openapi_url', url: source }
  if (!existsSync(source))
    throw new Refusal(`there is no file ${source}; --mcp says that it is the name of a server`)
  return { kind: 'openapi', text: narrowed(readFileSync(source, 'utf8'), only) }
}

/** Cuts a document that is too large to send down to the chosen operations. */
function narrowed(text: string, only: string | undefined): string {
  const read = only === undefined ? text : narrowSource(text, only.split(','))
  if (typeof read !== 'string') throw new Refusal(read.message)
  return read
}

function referenceTo(name: string): object {
  return name.startsWith('ACTUATOR_') ? { env: name } : { secret: name }
}

function localHostOf(address: string): string | null {
  if (!URL.canParse(address)) return null
  const { hostname, port, protocol } = new URL(address)
  if (hostname !== 'localhost' && !/^127\.\d+\.\d+\.\d+$/.test(hostname)) return null
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

async function allowHost(
  desk: ToolDesk,
  terminal: Terminal,
  { host, adding }: { host: string; adding: Adding },
): Promise<void> {
  const told = `actuators may not call ${host}, which is a host of this machine`
  if (!adding.local && !terminal.asks) throw new Refusal(`${told}: --local lets them`)
  if (!adding.local && !(await terminal.confirm(`${told}. Let them?`)))
    throw new Refusal('nothing was written')
  await desk.call('POST', '/v1/local-hosts', { host })
}

async function confirmed(terminal: Terminal, { yes }: Adding, question: string): Promise<void> {
  if (yes) return
  if (!terminal.asks) throw new Refusal('nothing was written: run it on a terminal, or with --yes')
  if (!(await terminal.confirm(question))) throw new Refusal('nothing was written')
}

/** Reads the values of `--secret NAME=FILE` before the command writes anything. */
function readSecrets({ secret = [] }: Adding): Map<string, string> {
  return new Map(
    secret.map(text => {
      const [, name = '', file = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? []
      if (!existsSync(file)) throw new Refusal(`--secret is NAME=FILE, and ${text} names no file`)
      return [name, readFileSync(file, 'utf8').trim()]
    }),
  )
}

interface Storing {
  proposal: ToolProposal
  secrets: ReadonlyMap<string, string>
}

async function storeSecrets(
  desk: ToolDesk,
  terminal: Terminal,
  { proposal, secrets }: Storing,
): Promise<void> {
  const { system: actuator, credentials } = proposal
  const asked = credentials.filter(({ source }) => source === 'tenant')
  const names = new Set([...secrets.keys(), ...(await missingOf(desk, actuator))])
  for (const name of names) {
    const what = asked.find(one => one.name === name)?.message ?? 'a secret'
    const typed = () => terminal.hidden(`${name}, ${what} (not shown; empty: later):`)
    const value = secrets.get(name) ?? (terminal.asks ? await typed() : '')
    if (value === '') {
      terminal.say(`missing: ${name}, ${what}: calls wait for it`)
      continue
    }
    await desk.call('PUT', `/secrets/${encodeURIComponent(name)}`, { actuator, value })
    terminal.say(`stored: ${name}`)
  }
}

async function missingOf(desk: ToolDesk, system: string): Promise<string[]> {
  const { needs } = await desk.call<{
    needs: { actuator: string; name: string; source: string; state: string }[]
  }>('GET', '/secrets')
  const missing = needs.filter(
    ({ actuator, source, state }) => actuator === system && source === 'tenant' && state === 'missing',
  )
  return missing.map(({ name }) => name)
}
