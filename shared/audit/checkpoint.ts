import { decodeBase64 } from '../canon/base64.ts'
import { parseDecimal } from '../canon/decimal.ts'
import { sha256 } from '../canon/digest.ts'
import { ok, type Result, refused } from '../result.ts'

/** What a checkpoint of a log or a statement about an action says: this tree, at this size, has this root. */
export interface Checkpoint {
  origin: string
  /** Leaves of the tree: entries of the log, or events of the action. */
  size: number
  root: Buffer
}

/** Three lines: origin, size, root (C2SP tlog-checkpoint). A RangeError where they would not be read as that again. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  const text = `${origin}\n${size}\n${root.toString('base64')}\n`
  const read = parseCheckpoint(text)
  if (!read.ok || read.value.origin !== origin) throw new RangeError(`no checkpoint: ${text}`)
  return text
}

/** Reads the text of a note as a checkpoint or statement; otherwise says what is wrong. Further lines are refused. */
export function parseCheckpoint(text: string): Result<Checkpoint, string> {
  const [origin = '', sizeText = '', rootText = '', end, ...more] = text.split('\n')
  if (end !== '') return refused('it is not three lines: origin, size and root')
  if (more.length > 0) return refused('it has extension lines')
  if (origin === '') return refused('it has no origin')
  const size = parseDecimal(sizeText)
  if (size === null) return refused('its size is not a plain number of at most 2^53-1')
  const root = decodeBase64(rootText)
  if (root?.length !== 32) return refused('its root is not 32 bytes in canonical base64')
  if (size === 0 && !root.equals(sha256('')))
    return refused('its size is 0, and its root not that of nothing')
  return ok({ origin, size, root })
}

/** Origin of a statement about an action (audit definitions section 3); `name` is that of the signing key. */
export function statementOrigin(name: string, tenantId: string, actionId: string): string {
  return `${name}/action/${tenantId}/${actionId}`
}

/** Origin of the checkpoints of a tenant's log; `logId` says nothing of the tenant. */
export function logOrigin(name: string, logId: string): string {
  return `${name}/log/${logId}`
}
