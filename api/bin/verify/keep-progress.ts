import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { UnusableError } from './verify-mode.ts'

export interface KeptProgress<State> {
  kept: State | null
  /** Replaces the file in one step, so that an interruption leaves the old or the new one whole. */
  save(state: State): void
  finish(): void
}

/** Throws an UnusableError if the file belongs to no check of this version. */
export function keepProgress<State extends { format: string }>(path: string): KeptProgress<State> {
  return {
    kept: existsSync(path) ? readState<State>(path) : null,
    save(state) {
      writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
    finish: () => rmSync(path, { force: true }),
  }
}

function readState<State extends { format: string }>(path: string): State {
  try {
    const state = JSON.parse(readFileSync(path, 'utf8'))
    if (state?.format === 'action-gate-database-check-v3') return state
  } catch (error) {
    throw new UnusableError(`--resume ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new UnusableError(`--resume ${path}: it is not the progress of a check of this version`)
}
