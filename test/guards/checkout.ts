import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { repositoryRoot } from '../support/repository-root.ts'
import { type Guard, withEdit } from './guard.ts'

/** A copy of the working tree in a directory of its own. */
export interface Checkout {
  directory: string
  /** The edits that cannot be made, because what they replace does not stand there once. */
  impossible(guards: readonly Guard[]): Promise<string[]>
  /** Do something while a guard is missing, and put it back. */
  without<Answer>(guard: Pick<Guard, 'edits'>, work: () => Promise<Answer>): Promise<Answer>
  /** Do something while files have other texts, and put theirs back. */
  changed<Answer>(texts: ReadonlyMap<string, string>, work: () => Promise<Answer>): Promise<Answer>
  remove(): Promise<void>
}

/** Copies what git would, so that neither a build nor a cache goes with it; packages are shared. */
export async function makeCheckout(): Promise<Checkout> {
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-guards-'))
  for (const path of await sourceFiles()) {
    await mkdir(join(directory, dirname(path)), { recursive: true })
    await cp(join(repositoryRoot, path), join(directory, path))
  }
  for (const shared of ['node_modules', 'test/node_modules', '.cache']) {
    await mkdir(join(repositoryRoot, shared), { recursive: true })
    await symlink(join(repositoryRoot, shared), join(directory, shared))
  }
  return {
    directory,
    async impossible(guards) {
      const edits = guards.flatMap(guard => guard.edits)
      const answers = await Promise.allSettled(
        edits.map(async edit => withEdit(await readFile(join(directory, edit.file), 'utf8'), edit)),
      )
      return answers.flatMap(answer => (answer.status === 'rejected' ? String(answer.reason) : []))
    },
    async without({ edits }, work) {
      const texts = new Map<string, string>()
      for (const edit of edits) {
        const before = texts.get(edit.file) ?? (await readFile(join(directory, edit.file), 'utf8'))
        texts.set(edit.file, withEdit(before, edit))
      }
      return changed(directory, texts, work)
    },
    changed: (texts, work) => changed(directory, texts, work),
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  }
}

async function changed<Answer>(
  directory: string,
  texts: ReadonlyMap<string, string>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const before = new Map<string, string>()
  try {
    for (const [file, text] of texts) {
      const path = join(directory, file)
      before.set(path, await readFile(path, 'utf8'))
      await writeFile(path, text)
    }
    return await work()
  } finally {
    for (const [path, text] of before) await writeFile(path, text)
  }
}

async function sourceFiles(): Promise<string[]> {
  const list = (...which: string[]) =>
    execFileSync('git', ['ls-files', '-z', ...which], { cwd: repositoryRoot, encoding: 'utf8' })
      .split('\0')
      .filter(path => path !== '')
  const deleted = new Set(list('--deleted'))
  return list('--cached', '--others', '--exclude-standard').filter(path => !deleted.has(path))
}
