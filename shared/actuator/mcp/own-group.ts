export interface Program {
  command: string
  args: readonly string[]
  /** The working directory. If null, the program gets a new empty directory. */
  cwd: string | null
  /**
   * The user to run as, or a range from which an unused user is taken. If null, the program runs as the
   * worker's user.
   */
  user: { uid: number; gid: number } | { first: number; count: number } | null
  given: readonly string[]
}

/**
 * A Node program that starts an MCP program in its own process group, so that Ctrl-C reaches only the worker.
 * When standard input closes, even because the worker was killed, it sends SIGTERM after 1 s and SIGKILL
 * after 1.8 s. The MCP program's user removes the working directory, so that a link in the directory cannot
 * lead root elsewhere. To claim an unused user, it starts an idle process as that user; the claim fails if
 * the user has any other process. At the end, it also kills processes outside the group, which it finds by
 * their user or by a mark in their environment.
 */
const launcher = `
const { spawn, spawnSync } = require('node:child_process')
const { randomInt, randomUUID } = require('node:crypto')
const { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } = require('node:fs')
const { command, args, cwd, user: wanted, given } = JSON.parse(process.argv[1])
const bare = { cwd: '/', env: { PATH: process.env.PATH } }
const processes = hasIt => (existsSync('/proc/self/status') ? readdirSync('/proc') : []).filter(pid => {
  try {
    return /^[0-9]+$/.test(pid) && hasIt('/proc/' + pid)
  } catch {
    return false
  }
})
const isOf = uid => path => {
  const status = readFileSync(path + '/status', 'utf8')
  return !/^State:\\s+Z/m.test(status) && Number(/^Uid:\\s+([0-9]+)/m.exec(status)?.[1]) === uid
}
const claimed = ({ first, count }) => {
  for (let tries = 0; tries < 200; tries += 1) {
    const uid = first + randomInt(count)
    const claim = spawn('cat', [], { ...bare, uid, gid: uid, stdio: ['pipe', 'ignore', 'ignore'] })
    if (claim.pid === undefined) process.exit(127)
    if (processes(isOf(uid)).every(pid => Number(pid) === claim.pid)) return { uid, gid: uid }
    claim.kill('SIGKILL')
  }
  process.exit(126)
}
const isAlone = wanted !== null && 'first' in wanted
const user = isAlone ? claimed(wanted) : wanted
const mark = randomUUID()
const own = cwd === null ? mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'action-gate-mcp-')) : null
if (own !== null && user !== null) chownSync(own, user.uid, user.gid)
const clear = () => {
  if (own === null) return
  if (user === null) rmSync(own, { recursive: true, force: true })
  else spawnSync('rm', ['-rf', own], { ...bare, ...user, stdio: 'ignore' })
}
const endOthers = () => {
  if (isAlone) spawnSync('sh', ['-c', 'kill -KILL -1'], { ...bare, ...user, stdio: 'ignore' })
  const marked = () => processes(path => readFileSync(path + '/environ', 'utf8').includes(mark))
  for (let pids = marked(), tries = 0; pids.length > 0 && tries < 10; pids = marked(), tries += 1)
    for (const pid of pids) endOne(pid, 'SIGKILL')
}
const leave = code => {
  endOthers()
  clear()
  process.exit(code)
}
const env = { ...process.env, ACTION_GATE_PROGRAM: mark }
const homes = own !== null && user !== null ? ['HOME', 'TMPDIR'] : []
for (const name of homes.filter(name => !given.includes(name))) env[name] = own
const child = spawn(command, args, {
  ...user,
  cwd: own ?? cwd,
  env,
  detached: true,
  stdio: ['pipe', 'inherit', 'ignore'],
})
const endOne = (pid, signal) => {
  try {
    process.kill(Number(pid), signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
const end = signal => endOne(-child.pid, signal)
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

export function inOwnGroup(program: Program): { command: string; args: string[] } {
  return { command: process.execPath, args: ['--eval', launcher, '--', JSON.stringify(program)] }
}
