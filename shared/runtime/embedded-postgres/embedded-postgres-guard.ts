import { spawn } from 'node:child_process'
import { type ServerAccount, spawnAs, spawnRefused } from './embedded-postgres-account.ts'

/**
 * A shell between the service and PostgreSQL. Its standard input is a pipe from the service, and the pipe closes
 * when the service asks for the end or dies, even by kill -9. The shell then sends SIGINT (fast shutdown), waits
 * for PostgreSQL and removes the directory in $1. It exits with PostgreSQL's status.
 */
const GUARD_SCRIPT = `
directory=$1
shift
exec 4<&0 </dev/null
"$@" 4<&- &
server=$!
trap 'kill -INT "$server"' HUP INT TERM
(read -r _ <&4; kill -INT "$server"; exit 0) 2>/dev/null &
watcher=$!
exec 4<&-
wait "$server"
status=$?
while kill -0 "$server" 2>/dev/null; do wait "$server"; status=$?; done
kill "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null && rm -rf -- "$directory"
exit "$status"
`

/** Makes messages English and drops the caller's PG* variables, because PG* variables would change the server. */
const CLEAN_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' }

export interface GuardedCommand {
  command: [program: string, ...parameters: string[]]
  account: ServerAccount | null
  logDescriptor: number
  /**
   * A descriptor that all processes of the command keep open, so that its lock lasts until they end; see
   * DirectoryLock.
   */
  lockDescriptor: number | null
  /** A directory that the guard removes after the pipe has closed and the command has ended. */
  temporaryDirectory: string
}

export interface Guarded {
  /** The exit status; null if the guard itself was killed. Rejects if the process could not start. */
  ended: Promise<number | null>
  stop(): Promise<void>
}

export function spawnGuarded(guarded: GuardedCommand): Guarded {
  const { command, account, logDescriptor, lockDescriptor, temporaryDirectory } = guarded
  const inherited = lockDescriptor === null ? [] : [lockDescriptor]
  const child = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'postgres-guard', temporaryDirectory, ...command], {
    cwd: '/',
    // The guard has its own session, otherwise Ctrl-C would stop the database while the service still drains.
    detached: true,
    env: CLEAN_ENVIRONMENT,
    stdio: ['pipe', logDescriptor, logDescriptor, ...inherited],
    ...spawnAs(account),
  })
  const input = child.stdin
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', error => reject(spawnRefused(account, error)))
    child.once('exit', code => {
      input?.destroy()
      resolve(code)
    })
  })
  const stop = async () => {
    input?.end()
    await ended
  }
  return { ended, stop }
}
