import { arrayLiteral } from './array-literal.ts'
import type { SealedChange, SealedOpening } from './sealed-change.ts'

/** How actions, events and jobs travel to the ledger's statements: a column of all rows is one parameter. */

/** One array literal per column; booleans go as 0 and 1. */
function column<Row>(
  rows: readonly Row[],
  read: readonly ((row: Row) => string | number | null)[],
): string[] {
  return read.map(of => arrayLiteral(rows.map(of)))
}

export function openingColumns(openings: readonly SealedOpening[]): string[] {
  return column(openings, [
    opening => opening.proposal_id,
    opening => opening.proposal_hash,
    opening => opening.target_system,
    opening => opening.operation,
    opening => opening.key_id,
    opening => opening.governing_version,
    opening => Number(opening.key_confirmed),
    opening => opening.traceparent,
  ])
}

export function changeColumns(changes: readonly SealedChange[]): string[] {
  return column(changes, [
    sealed => sealed.action_id,
    sealed => sealed.tenant_id,
    sealed => sealed.change.from,
    sealed => sealed.change.to,
    sealed => sealed.leaves.length - sealed.rows.length,
    sealed => sealed.leaves.length,
    sealed => Buffer.concat(sealed.leaves).toString('hex'),
    sealed => sealed.root.toString('hex'),
    sealed => sealed.at,
    sealed => sealed.change.hold_ms,
  ])
}

export function eventColumns(changes: readonly SealedChange[]): string[] {
  const rows = changes.flatMap(({ action_id, tenant_id, rows }) =>
    rows.map(row => ({ action_id, tenant_id, row })),
  )
  return column(rows, [
    ({ action_id }) => action_id,
    ({ tenant_id }) => tenant_id,
    ({ row }) => row.sequence,
    ({ row }) => row.kind,
    ({ row }) => row.from,
    ({ row }) => row.to,
    ({ row }) => row.leafHash.toString('hex'),
    ({ row }) => Buffer.from(row.salt).toString('hex'),
  ]).concat(
    rows.map(({ row }) => row.text).join(separator),
    rows.map(({ row }) => row.payloadText).join(separator),
  )
}

/** Canonical texts escape every control character, so that this one stands between them unescaped. */
const separator = '\x1e'

export function jobColumns(changes: readonly SealedChange[]): string[] {
  const rows = changes.flatMap(({ action_id, tenant_id, change }) =>
    change.job ? [{ action_id, tenant_id, job: change.job }] : [],
  )
  return column(rows, [
    ({ action_id }) => action_id,
    ({ tenant_id }) => tenant_id,
    ({ job }) => job.state,
    ({ job }) => job.attempt,
    ({ job }) => job.max_attempts,
    ({ job }) => job.run_in_ms,
    ({ job }) => job.lease_owner,
    ({ job }) => job.lease_token,
    ({ job }) => job.lease_ms,
    ({ job }) => Number(job.maybe_executed),
    ({ job }) => Number(job.key_honoured),
    ({ job }) => job.rounds,
    ({ job }) => Number(job.needs_operator),
    ({ job }) => job.last_error,
    ({ job }) => job.expected_token,
  ])
}

type Shape = readonly (readonly [column: string, type: string])[]

/** `unnest($first::type[], …) as name(columns)`; canonical texts come joined. */
export function unnest(first: number, name: string, columns: Shape): string {
  const arrays = columns.map(([, type], at) =>
    type === 'canonical' ? `string_to_array($${first + at}::text, E'\\x1e')` : `$${first + at}::${type}[]`,
  )
  return `${name} as (select * from unnest(${arrays.join(', ')}) as t(${columns.map(([column]) => column).join(', ')}))`
}

export const openingShape = [
  ['proposal_id', 'text'],
  ['proposal_hash', 'text'],
  ['target_system', 'text'],
  ['operation', 'text'],
  ['key_id', 'text'],
  ['governing_version', 'int8'],
  ['key_confirmed', 'int4'],
  ['traceparent', 'text'],
] as const
export const changeShape = [
  ['action_id', 'text'],
  ['tenant_id', 'text'],
  ['status_from', 'text'],
  ['status_to', 'text'],
  ['prior_count', 'int4'],
  ['event_count', 'int4'],
  ['leaves', 'text'],
  ['root', 'text'],
  ['at', 'timestamptz'],
  ['hold_ms', 'int8'],
] as const
export const eventShape = [
  ['action_id', 'text'],
  ['tenant_id', 'text'],
  ['sequence', 'int4'],
  ['kind', 'text'],
  ['status_from', 'text'],
  ['status_to', 'text'],
  ['leaf', 'text'],
  ['salt', 'text'],
  ['event', 'canonical'],
  ['payload', 'canonical'],
] as const
export const jobShape = [
  ['action_id', 'text'],
  ['tenant_id', 'text'],
  ['state', 'text'],
  ['attempt', 'int4'],
  ['max_attempts', 'int4'],
  ['run_in_ms', 'int8'],
  ['lease_owner', 'text'],
  ['lease_token', 'int8'],
  ['lease_ms', 'int8'],
  ['maybe_executed', 'int4'],
  ['key_honoured', 'int4'],
  ['rounds', 'int4'],
  ['needs_operator', 'int4'],
  ['last_error', 'text'],
  ['expected_token', 'int8'],
] as const
