import { exportDigest } from '../../../shared/audit/event/audit-bytes.ts'
import { type EntryToSeal, sealEntries } from '../../../shared/audit/event/seal.ts'
import { leafHash } from '../../../shared/audit/merkle/merkle.ts'
import { consistencyProof, inclusionProof, rootOf } from '../../../shared/audit/merkle/proofs.ts'
import { type HashOf, newNodes } from '../../../shared/audit/merkle/tree-nodes.ts'
import { formatCheckpoint, logOrigin, statementOrigin } from '../../../shared/audit/note/checkpoint.ts'
import { type NoteSigner, signNote } from '../../../shared/audit/note/signed-note.ts'
import type { TrustedKey } from '../../../shared/audit/note/trusted-keys.ts'
import { formatVkey, verifierKey } from '../../../shared/audit/note/verifier-key.ts'
import { prefixedHex } from '../../../shared/canon/digest.ts'
import { importPrivateKey, privateKeyPem, publicKeyJwk, publicKeyPem } from '../../../shared/canon/ed25519.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type { AuditKey } from '../../../shared/contract/action/audit-log.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { heldAndExecuted } from './trace-entries.ts'

/** What an export is to be about; everything has a value that gives an export that verifies. */
export interface ExportPlan {
  tenantId: string
  actionId: string
  entries: readonly EntryToSeal[]
  /** When each event happened, by its place; otherwise one time for all. */
  at: readonly string[]
  signer: NoteSigner
  /** Places of the events whose payload is gone. */
  without: readonly number[]
  /** Entries of other actions in the log: before, and between any two of this one. */
  othersBefore: number
  othersBetween: number
  /** What the other entries are: another text is another log. */
  others: string
  fromSize: number | null
}

export interface BuiltExport {
  exported: AuditExport
  bytes: Buffer
  /** The signed checkpoint of the same log at another size. */
  checkpointAt(size: number): string
  size: number
}

export const signer: NoteSigner = signerOf('gate.example.org', 7)
export const origin = logOrigin(signer.name, 'log_k3v7qz2m')
export const trusted: readonly TrustedKey[] = [verifierKey(signer.name, signer.privateKey.publicKey)]
export const vkey = vkeyOf(signer)

export function signerOf(name: string, seed: number): NoteSigner {
  return { name, privateKey: importPrivateKey(privateKeyPem(Buffer.alloc(32, seed))) }
}

export function vkeyOf({ name, privateKey }: NoteSigner): string {
  return formatVkey(verifierKey(name, privateKey.publicKey))
}

const defaults: ExportPlan = {
  tenantId: 'demo',
  actionId: 'act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf',
  entries: heldAndExecuted(),
  at: [],
  signer,
  without: [],
  othersBefore: 3,
  othersBetween: 2,
  others: 'other',
  fromSize: null,
}

/** An export as the service makes it, with a log around it, by the sealing functions of the product. */
export function buildExport(wanted: Partial<ExportPlan> = {}): BuiltExport {
  const plan = { ...defaults, ...wanted }
  const { tenantId, actionId, entries } = plan
  const sealed = sealAll(plan)
  const { places, leaves } = logAround(plan, sealed.leaves)
  const hashOf = hashesOf(leaves)
  const size = leaves.length
  const checkpointAt = (at: number) => sign(plan, origin, at, rootOf(at, hashOf))
  const exported: AuditExport = withDigest({
    integrity_version: 'canonical-signed-v1',
    tenant_id: tenantId,
    action_id: actionId,
    exported_at: '2026-11-21T09:00:00.000Z',
    events: sealed.events.map(({ text, salt }, place) => ({
      event: text,
      salt: plan.without.includes(place) ? null : Buffer.from(salt).toString('base64'),
      payload: plan.without.includes(place) ? null : ((entries[place]?.payload ?? null) as JsonObject | null),
    })),
    audit_root: prefixedHex(sealed.root),
    statement: sign(plan, statementOrigin(plan.signer.name, tenantId, actionId), entries.length, sealed.root),
    log: {
      origin,
      checkpoint: checkpointAt(size),
      entries: places.map(index => ({ index, proof: base64(inclusionProof(index, size, hashOf)) })),
    },
    ...(plan.fromSize === null
      ? {}
      : {
          consistency: {
            from_size: plan.fromSize,
            proof: base64(consistencyProof(plan.fromSize, size, hashOf)),
          },
        }),
    keys: [auditKey(plan.signer)],
  })
  return { exported, bytes: fileOf(exported), checkpointAt, size }
}

/** The file of an export whose content was changed: with the digest that goes with what it says now. */
export function redigested(exported: Omit<AuditExport, 'digest'>): Buffer {
  return fileOf(withDigest(exported))
}

export function fileOf(exported: unknown): Buffer {
  return Buffer.from(JSON.stringify(exported))
}

/** A key as `/v1/audit/keys` lists it. */
export function auditKey({ name, privateKey: { publicKey } }: NoteSigner): AuditKey {
  const key = verifierKey(name, publicKey)
  return {
    key_id: key.id.toString('hex'),
    name,
    status: 'active',
    vkey: formatVkey(key),
    spki_pem: publicKeyPem(publicKey),
    jwk: publicKeyJwk(publicKey),
    added_at: '2026-11-01T00:00:00.000Z',
    ended_at: null,
    first_log_size: 1,
    last_log_size: null,
  }
}

function withDigest(exported: Omit<AuditExport, 'digest'>): AuditExport {
  return { ...exported, digest: exportDigest(exported) }
}

function sealAll({ tenantId, actionId, entries, at }: ExportPlan) {
  const stream = { tenantId, stream: `action/${actionId}` }
  const start = sealEntries({ ...stream, at: '', priorLeaves: [], entries: [] })
  return entries.reduce((sealed, entry, place) => {
    const time = at[place] ?? '2026-11-21T08:00:00.000Z'
    const more = sealEntries({ ...stream, at: time, priorLeaves: sealed.leaves, entries: [entry] })
    return { ...more, events: [...sealed.events, ...more.events] }
  }, start)
}

function logAround({ othersBefore, othersBetween, others }: ExportPlan, ours: readonly Buffer[]) {
  const leaves: Buffer[] = []
  const places: number[] = []
  const addOthers = (count: number) => {
    for (let n = 0; n < count; n += 1) leaves.push(leafHash(`${others} ${leaves.length}`))
  }
  addOthers(othersBefore)
  for (const leaf of ours) {
    places.push(leaves.length)
    leaves.push(leaf)
    addOthers(othersBetween)
  }
  return { leaves, places }
}

function hashesOf(leaves: readonly Buffer[]): HashOf {
  const none: HashOf = () => Buffer.alloc(32)
  const nodes = new Map(newNodes(0, leaves, none).map(node => [`${node.level}/${node.index}`, node.hash]))
  return ({ level, index }) => {
    const hash = nodes.get(`${level}/${index}`)
    if (hash === undefined) throw new Error(`the log has no node ${level}/${index}`)
    return hash
  }
}

function sign({ signer: by }: ExportPlan, about: string, size: number, root: Buffer): string {
  return signNote(formatCheckpoint({ origin: about, size, root }), by)
}

function base64(hashes: readonly Buffer[]): string[] {
  return hashes.map(hash => hash.toString('base64'))
}
