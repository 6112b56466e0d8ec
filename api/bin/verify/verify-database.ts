import { describeKeys } from '../../../shared/audit/note/trusted-keys.ts'
import {
  checkDatabase,
  type DatabaseCheckState,
  OtherCheckError,
} from '../../../shared/flow/database-check/check-database.ts'
import { keepProgress } from './keep-progress.ts'
import { readKeys, readSmall } from './read-keys.ts'
import { reportOnDatabase } from './report-on-database.ts'
import { showProgress } from './show-progress.ts'
import { type Mode, UnusableError } from './verify-mode.ts'

/**
 * Verifies a whole database by recomputing every stream and log from the events. It connects only to that database
 * and only reads.
 */
export const verifyDatabase: Mode['run'] = async ({
  database: url = '',
  keys,
  checkpoints,
  resume: path,
}) => {
  const trusted = await readKeys(keys)
  const kept = []
  for (const name of checkpoints) kept.push({ name, note: (await readSmall(name)).toString('utf8') })
  const progress = path === undefined ? null : keepProgress<DatabaseCheckState>(path)
  const shown = showProgress(process.stderr)
  try {
    const tally = await checkDatabase({
      url,
      trusted,
      kept,
      resume: progress?.kept ?? null,
      onPage(state) {
        progress?.save(state)
        shown.show(state)
      },
    })
    progress?.finish()
    return reportOnDatabase(tally, { keys: describeKeys(trusted, trusted), checkpoints: kept.length })
  } catch (error) {
    if (error instanceof OtherCheckError) throw new UnusableError(`--resume ${path}: ${error.message}`)
    throw new UnusableError(`the check could not go on: ${reasonOf(error)}`)
  } finally {
    shown.end()
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || error.name
}
