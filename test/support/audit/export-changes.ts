import { statementOrigin } from '../../../shared/audit/note/checkpoint.ts'
import { signNote } from '../../../shared/audit/note/signed-note.ts'
import type { CheckName } from '../../../shared/audit/verify/verification.ts'
import type { Grounds } from '../../../shared/audit/verify/verify-export.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import { buildExport, origin, redigested, signer, signerOf } from './export-builder.ts'

/** A file that is refused: what it is, the check that refuses it, and the words. */
export type Refused = [
  what: string,
  bytes: Uint8Array,
  check: CheckName,
  problem: RegExp,
  more?: Partial<Grounds>,
]

/** A good export and its parts, of which the functions below make bad ones; each with the digest of what it says. */
export const { exported, checkpointAt, size } = buildExport()
export const statement = exported.statement ?? ''
export const checkpoint = 'checkpoint' in exported.log ? exported.log.checkpoint : ''
export const entries = 'entries' in exported.log ? exported.log.entries : []
export const zeros = Buffer.alloc(32).toString('base64')
export const aboutIt = statementOrigin(signer.name, exported.tenant_id, exported.action_id)
/** Has the name of the trusted key, and is not it. */
export const thief = signerOf(signer.name, 8)

export function without(member: keyof AuditExport): Buffer {
  const { [member]: _, ...rest } = exported
  return redigested(rest as AuditExport)
}

export function events(change: (list: AuditExport['events']) => AuditExport['events']): Buffer {
  return redigested({ ...exported, events: change(exported.events) })
}

export function event(place: number, change: (text: string) => string): Buffer {
  return events(list => list.map((one, n) => (n === place ? { ...one, event: change(one.event) } : one)))
}

export function payload(place: number, changed: AuditExport['events'][number]['payload']): Buffer {
  return events(list => list.map((one, n) => (n === place ? { ...one, payload: changed } : one)))
}

export function salt(changed: string | null): Buffer {
  return events(list => list.map((one, n) => (n === 0 ? { ...one, salt: changed } : one)))
}

export function log(changed: Partial<Exclude<AuditExport['log'], { pending: true }>>): Buffer {
  return redigested({ ...exported, log: { origin, checkpoint, entries, ...changed } })
}

export function place(at: number, changed: Partial<(typeof entries)[number]>): Buffer {
  return log({ entries: entries.map((one, n) => (n === at ? { ...one, ...changed } : one)) })
}

export function proof(at: number, changed: string[]): Buffer {
  return place(at, { proof: changed })
}

export function hashes(at: number): string[] {
  return entries[at]?.proof ?? []
}

export function claim(from_size: number, changed: string[]): Buffer {
  return redigested({ ...exported, consistency: { from_size, proof: changed } })
}

export function note(changed: string): Buffer {
  return redigested({ ...exported, statement: changed })
}

/** A statement that the trusted key really signed. */
export function signed(about: string, count: string, root = zeros): Buffer {
  return note(signNote(`${about}\n${count}\n${root}\n`, signer))
}

export function signatureLine(of: string): string {
  return of.slice(of.indexOf('\n\n') + 2)
}

export function textOf(of: string): string {
  return of.slice(0, of.indexOf('\n\n') + 1)
}

export function rootIn(of: string): string {
  return of.split('\n')[2] ?? ''
}
