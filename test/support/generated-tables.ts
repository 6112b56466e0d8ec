import { errorTable } from '../../shared/contract/base/errors.ts'
import { limits } from '../../shared/contract/base/limits.ts'
import { answerPresets } from '../../shared/contract/configuration/answer-presets.ts'
import type { Access, Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../shared/contract/endpoints/endpoints.ts'
import { memberRoles } from '../../shared/contract/role-schema.ts'
import { terminalStatuses } from '../../shared/lifecycle/status.ts'
import { transitions } from '../../shared/lifecycle/transition.ts'
import { settings } from '../../shared/runtime/settings/settings.ts'
import { productionPackages } from '../security/production-packages.ts'

/** The state table as a Mermaid diagram: trigger, event and, in parentheses, statuses that are never committed. */
export function stateDiagram(): string {
  const moves = transitions.map(({ from, trigger, via, to, event }) => {
    const passed = via.length > 0 ? ` (${via.join(', ')})` : ''
    return `    ${from ?? '[*]'} --> ${to} : ${trigger} / ${event}${passed}`
  })
  const ends = [...terminalStatuses].map(status => `    ${status} --> [*]`)
  return ['```mermaid', 'stateDiagram-v2', ...moves, ...ends, '```'].join('\n')
}

export function transitionTable(): string {
  const rows = transitions.map(({ from, trigger, via, to, event, when }) => [
    from === null ? '–' : code(from),
    code(trigger),
    [...via, to].map(code).join(' → '),
    code(event),
    when,
  ])
  return table(['from', 'trigger', 'to', 'event', 'when'], rows)
}

export function settingsTable(): string {
  const rows = Object.values(settings).map(({ env, preset, meaning }) => [
    code(env),
    shownPreset(preset),
    meaning,
  ])
  return table(['variable', 'default', 'meaning'], rows)
}

export function packageTable(): string {
  return table(
    ['package', 'what for'],
    Object.entries(productionPackages).map(([name, why]) => [code(name), why]),
  )
}

const credentials: Readonly<Record<Access, string>> = {
  none: 'none',
  agent: 'agent',
  approver: 'approver',
  agent_or_approver: 'agent or approver',
  admin: 'admin, operator',
  operator: 'operator',
  session: 'session',
  member: 'session, or key of a role',
}

export function endpointTable(): string {
  const rows = Object.values<Endpoint>(endpoints).map(({ method, path, access, hosted, summary }) => [
    method,
    code(path),
    credentials[access] +
      (access === 'admin' && method === 'GET' ? ', on call' : '') +
      (hosted && access === 'none' ? ' (hosted accounts)' : ''),
    summary,
  ])
  return table(['method', 'path', 'credential', 'purpose'], rows)
}

/** Which member may ask what of an application, or of the organization. */
export function rolesTable(): string {
  const rows = Object.values<Endpoint>(endpoints).flatMap(({ method, path, roles, summary }) =>
    roles
      ? [[method, code(path), summary, ...memberRoles.map(role => (roles.includes(role) ? 'yes' : '–'))]]
      : [],
  )
  return table(['method', 'path', 'purpose', ...memberRoles.map(code)], rows)
}

export function errorsTable(): string {
  const rows = Object.entries(errorTable).map(([name, { status, title }]) => [
    String(status),
    code(name),
    title,
  ])
  return table(['status', 'code', 'meaning'], rows)
}

export function limitsTable(): string {
  const rows = Object.entries(limits).map(([name, value]) => [code(name), value.toLocaleString('en-US')])
  return table(['limit', 'value'], rows)
}

/** Kinds of API, and the rules that a registration would write for each. */
export function presetTable(): string {
  const rows = Object.entries(answerPresets).map(([name, { answers, refuses_with, ...rules }]) => [
    code(name),
    answers,
    refuses_with.join(', '),
    Object.entries(rules)
      .map(([member, rule]) => code(`"${member}": ${JSON.stringify(rule)}`))
      .join(' '),
  ])
  return table(['preset', 'how it answers', 'refuses with, too', 'the same as'], rows)
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map(row => row.map(cell))]
  return lines.map(line => `| ${line.join(' | ')} |`).join('\n')
}

export function code(text: string): string {
  return `\`${text}\``
}

function shownPreset(preset: string | undefined): string {
  if (preset === undefined) return 'not set'
  return preset === '' ? 'empty' : code(preset)
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
