import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from '../repository-root.ts'
import { aptIn, archivesIn, systemName, unpackArchive, unpackOnce } from './debian-package.ts'
import { freePort } from './redis-program.ts'

const run = promisify(execFile)
const cache = join(repositoryRoot, '.cache', 'prometheus')
const answersMsMax = 20_000

/** Prometheus and its tool, where they may be had. */
export interface PrometheusPrograms {
  prometheus: string
  promtool: string
}

/** Those on PATH, else of Debian's package, unpacked into `.cache`; else null, and says so on standard error. */
export async function findPrometheus(): Promise<PrometheusPrograms | null> {
  try {
    await Promise.all(['prometheus', 'promtool'].map(name => run(name, ['--version'])))
    return { prometheus: 'prometheus', promtool: 'promtool' }
  } catch {
    return debianPrometheus()
  }
}

async function debianPrometheus(): Promise<PrometheusPrograms | null> {
  try {
    const unpacked = join(cache, await systemName())
    const isThere = () =>
      access(unpacked).then(
        () => true,
        () => false,
      )
    if (!(await isThere())) await unpackOnce(unpacked, unpack, isThere)
    const programs = join(unpacked, 'usr', 'bin')
    return { prometheus: join(programs, 'prometheus'), promtool: join(programs, 'promtool') }
  } catch (error) {
    process.stderr.write(`NOT TESTED WITH PROMETHEUS: it is not on PATH, and Debian's package: ${error}\n`)
    return null
  }
}

/** Its two programs need nothing of the packages that it depends on. */
async function unpack(work: string, root: string): Promise<void> {
  const apt = await aptIn(work)
  await apt('download', 'prometheus')
  const [file] = (await readdir(archivesIn(work))).filter(name => name.endsWith('.deb'))
  await unpackArchive(join(archivesIn(work), file ?? ''), root)
  await run(join(root, 'usr', 'bin', 'promtool'), ['--version'])
}

export interface Prometheus {
  /** Scrape these, by the name of their job, once a second from now on. */
  scrape(targets: Readonly<Record<string, readonly string[]>>): Promise<void>
  /** What an expression comes to now: labels and value of each series, none where it is not true. */
  query(expression: string): Promise<{ labels: Record<string, string>; value: number }[]>
  stop(): Promise<void>
}

/** A Prometheus of its own on 127.0.0.1, which evaluates these rules, the text of a file of them, once a second. */
export async function startPrometheus(
  { prometheus }: PrometheusPrograms,
  rules = 'groups: []',
): Promise<Prometheus> {
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-prometheus-'))
  const file = join(directory, 'prometheus.yml')
  await writeFile(join(directory, 'rules.yml'), rules)
  await writeFile(file, configuration({}))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(
    prometheus,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-lifecycle',
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  await answers(`${url}/-/ready`)
  return {
    async scrape(targets) {
      await writeFile(file, configuration(targets))
      const { status } = await fetch(`${url}/-/reload`, { method: 'POST' })
      if (status !== 200) throw new Error(`Prometheus refused its configuration: ${status}`)
    },
    async query(expression) {
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`)
      const { data, error } = (await response.json()) as QueryAnswer
      if (!data) throw new Error(`${expression}: ${error}`)
      return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
    },
    async stop() {
      process.removeListener('exit', kill)
      const ended = once(child, 'exit')
      kill()
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

interface QueryAnswer {
  data?: { result: { metric: Record<string, string>; value: [number, string] }[] }
  error?: string
}

/** JSON is YAML. */
function configuration(targets: Readonly<Record<string, readonly string[]>>): string {
  return JSON.stringify({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: Object.entries(targets).map(([name, urls]) => ({
      job_name: name,
      static_configs: [{ targets: urls.map(url => new URL(url).host) }],
    })),
  })
}

async function answers(url: string): Promise<void> {
  const tooLate = AbortSignal.timeout(answersMsMax)
  for (;;) {
    const ready = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    tooLate.throwIfAborted()
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
