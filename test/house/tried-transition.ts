import { execFileSync } from 'node:child_process'
import { repositoryRoot } from '../support/repository-root.ts'

/** The subject of the commit that adds a transition as a newcomer does; the next one takes it back. */
const subject = 'lifecycle: try a transition and an endpoint'

/** The files that the trial touched, generated ones included; null where this history does not have it. */
export function filesOfTriedTransition(): string[] | null {
  const git = (...parameters: string[]) =>
    execFileSync('git', parameters, {
      cwd: repositoryRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  try {
    const [commit] = git('log', '-1', '--format=%H', `--grep=^${subject}$`).trim().split('\n')
    if (!commit) return null
    return git('show', '--format=', '--name-only', commit).trim().split('\n')
  } catch {
    return null
  }
}
