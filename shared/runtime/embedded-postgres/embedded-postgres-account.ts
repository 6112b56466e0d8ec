import { execFile } from 'node:child_process'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { EmbeddedPostgresError } from '../outage.ts'

const run = promisify(execFile)

export interface ServerAccount {
  uid: number
  gid: number
}

/**
 * Returns the account under which PostgreSQL runs; null for the service's own account. PostgreSQL refuses to run
 * as root, so a service that runs as root starts it as `nobody`. initdb also refuses a uid without a passwd entry.
 */
export async function serverAccount(): Promise<ServerAccount | null> {
  try {
    return process.getuid?.() === 0 ? await lookUpNobody() : ownAccount()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `PostgreSQL has no account to run under (it refuses root and unknown users): ${reason}. Start the service as an ordinary user, or set DATABASE_URL.`
    throw new EmbeddedPostgresError('unsupported_platform', message, { cause })
  }
}

async function lookUpNobody(): Promise<ServerAccount> {
  const { stdout } = await run('id', ['nobody'])
  const [, uid, gid] = /^uid=(-?\d+)\S* gid=(-?\d+)/.exec(stdout) ?? []
  if (uid === undefined || gid === undefined) throw new Error(`"id nobody" answered ${stdout.trim()}`)
  return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
}

function ownAccount(): null {
  userInfo() // Throws if the uid has no passwd entry.
  return null
}

export function spawnAs(account: ServerAccount | null): Partial<ServerAccount> {
  // Makes the ids signed, because `nobody` is 4294967294 on macOS and spawn accepts only -2.
  return account === null ? {} : { uid: account.uid | 0, gid: account.gid | 0 }
}

export async function mayUse(
  directory: string,
  account: ServerAccount | null,
  need: 'enter' | 'enter and write',
): Promise<boolean> {
  const check = need === 'enter' ? 'cd -- "$1"' : 'cd -- "$1" && test -w .'
  try {
    await run('/bin/sh', ['-c', `(${check}) 2>/dev/null`, 'sh', directory], { cwd: '/', ...spawnAs(account) })
    return true
  } catch (error) {
    if (typeof (error as { code?: unknown }).code === 'number') return false
    throw spawnRefused(account, error)
  }
}

export function spawnRefused(account: ServerAccount | null, cause: unknown): EmbeddedPostgresError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message =
    account === null
      ? `The embedded PostgreSQL cannot be run: ${reason}.`
      : `The embedded PostgreSQL cannot be run as "nobody" (${reason}). Start the service as an ordinary user, or set DATABASE_URL.`
  return new EmbeddedPostgresError('start_failed', message, { cause })
}
