/** A program as it is started. */
export interface Program {
  command: string
  args: readonly string[]
  /** Directory in which it runs; null: an empty one of its own. */
  cwd: string | null
  /** User as which it runs; null: the one of the worker. */
  user: { uid: number; gid: number } | null
  /** Names of variables that were given to it, which its own directory does not replace. */
  given: readonly string[]
}

/**
 * Node between the worker and a program that it starts, which is in a process group of its own: Ctrl-C in the terminal of
 * the worker reaches the worker, and not the call that it waits for. The program ends with the worker: when the standard
 * input closes, even since the worker was killed, it has a moment, and then its whole group is ended. A directory of its own
 * is removed by its own user, so that no link in it leads root elsewhere.
 */
const launcher = `
const { spawn, spawnSync } = require('node:child_process')
const { chownSync, mkdtempSync, rmSync } = require('node:fs')
const { command, args, cwd, user, given } = JSON.parse(process.argv[1])
const own = cwd === null ? mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'action-gate-mcp-')) : null
if (own !== null && user !== null) chownSync(own, user.uid, user.gid)
const clear = () => {
  if (own === null) return
  if (user === null) rmSync(own, { recursive: true, force: true })
  else spawnSync('rm', ['-rf', own], { ...user, cwd: '/', stdio: 'ignore' })
}
const leave = code => {
  clear()
  process.exit(code)
}
const env = { ...process.env }
const homes = own !== null && user !== null ? ['HOME', 'TMPDIR'] : []
for (const name of homes.filter(name => !given.includes(name))) env[name] = own
const child = spawn(command, args, {
  ...user,
  cwd: own ?? cwd,
  env,
  detached: true,
  stdio: ['pipe', 'inherit', 'ignore'],
})
const end = signal => {
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
const endAfter = (term, kill) => {
  setTimeout(end, term, 'SIGTERM')
  setTimeout(end, kill, 'SIGKILL')
}
for (const signal of ['SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => undefined)
process.on('SIGTERM', () => endAfter(0, 500))
child.once('error', () => leave(127))
child.once('exit', code => {
  end('SIGKILL')
  leave(code ?? 1)
})
child.stdin.on('error', () => process.stdin.unpipe(child.stdin))
process.stdin.pipe(child.stdin)
process.stdin.once('end', () => endAfter(1_000, 1_800))
`

/** The command that runs a program in a process group of its own, for as long as its standard input is open. */
export function inOwnGroup(program: Program): { command: string; args: string[] } {
  return { command: process.execPath, args: ['--eval', launcher, '--', JSON.stringify(program)] }
}
