import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { selfSigned } from '../fixtures/self-signed.ts'
import { systemProgram } from '../helper-programs.ts'
import { repositoryRoot } from '../repository-root.ts'
import { aptIn, exists, librariesIn, systemName, unpackArchives, unpackOnce } from './debian-package.ts'

const run = promisify(execFile)
const cache = join(repositoryRoot, '.cache', 'nginx')
const answersMsMax = 20_000

/** nginx of PATH, else Debian's, unpacked into `.cache`: the words of the command that runs it. */
export async function findNginx(): Promise<string[]> {
  const installed = systemProgram('nginx')
  if (isAbsolute(installed)) return [installed]
  const root = join(cache, await systemName())
  const isThere = () => exists(root)
  if (!(await isThere())) await unpackOnce(root, unpackNginx, isThere)
  return commandIn(root)
}

async function unpackNginx(work: string, root: string): Promise<void> {
  const apt = await aptIn(work)
  await apt('--yes', '--no-install-recommends', '--download-only', 'install', 'nginx')
  await unpackArchives(work, root)
  const [program = '', ...words] = await commandIn(root)
  await run(program, [...words, '-v'])
}

async function commandIn(root: string): Promise<string[]> {
  const libraries = `LD_LIBRARY_PATH=${(await librariesIn(root)).join(':')}`
  return [systemProgram('env'), libraries, join(root, 'usr', 'sbin', 'nginx')]
}

export interface TlsProxy {
  /** Ends nginx, and takes its files away. */
  stop(): Promise<void>
}

/** The proxy of api/docs/deploy.md with its configuration as printed, but for addresses and files. */
export async function startDeployedProxy(
  [program = '', ...words]: readonly string[],
  { port, service, strips }: { port: number; service: string; strips: boolean },
): Promise<TlsProxy> {
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-nginx-'))
  const inDirectory = (name: string) => join(directory, name)
  await writeFile(inDirectory('gate.pem'), selfSigned.cert)
  await writeFile(inDirectory('gate.key'), selfSigned.key)
  const server = replaceEach(await printedServer(), {
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    '/etc/ssl/gate.pem': inDirectory('gate.pem'),
    '/etc/ssl/private/gate.key': inDirectory('gate.key'),
    'proxy_pass http://127.0.0.1:8080;': `proxy_pass ${service}${strips ? '/' : ''};`,
  })
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${inDirectory(name)};`,
  )
  // nginx of root gives its workers to an account that reads no directory of ours.
  const account = process.getuid?.() === 0 ? 'user root;' : ''
  const settings = `daemon off; ${account} pid ${inDirectory('pid')}; error_log stderr warn; events {}
http { access_log off; ${places.join(' ')}
${server} }`
  await writeFile(inDirectory('nginx.conf'), settings)
  const child = spawn(program, [...words, '-p', directory, '-c', inDirectory('nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const kill = () => child.kill('SIGTERM')
  process.once('exit', kill)
  await listens(port, child)
  return {
    async stop() {
      process.removeListener('exit', kill)
      const ended = once(child, 'exit')
      kill()
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function printedServer(): Promise<string> {
  const page = await readFile(join(repositoryRoot, 'api', 'docs', 'deploy.md'), 'utf8')
  const [, printed] = /^```nginx\n([\s\S]*?)^```$/m.exec(page) ?? []
  if (printed === undefined) throw new Error('deploy.md prints no configuration of nginx')
  return printed
}

/** Whatever the page says else, it is no longer what is tested. */
function replaceEach(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((before, [old, made]) => {
    if (!before.includes(old)) throw new Error(`the configuration of deploy.md has no ${old}`)
    return before.replace(old, made)
  }, text)
}

async function listens(port: number, child: ChildProcess): Promise<void> {
  const tooLate = AbortSignal.timeout(answersMsMax)
  for (;;) {
    tooLate.throwIfAborted()
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
