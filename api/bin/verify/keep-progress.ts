import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { UnusableError } from './verify-mode.ts'

/** A file by which a long check goes on where it was ended. */
export interface KeptProgress<State> {
  /** What the file says; null where there is none yet. */
  kept: State | null
  /** Replaces the file at once: whoever ends the process leaves the old one or the new one. */
  save(state: State): void
  /** The check is done: the file goes. */
  finish(): void
}

/** Throws an UnusableError where the file is none of a check of this version. */
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
