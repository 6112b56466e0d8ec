import type { TrustedKey } from '../../audit/note/trusted-keys.ts'
import { formatVkey } from '../../audit/note/verifier-key.ts'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import { isLost } from '../../runtime/outage.ts'
import {
  type ActionPage,
  type ActionRange,
  inSnapshot,
  readActionPage,
  readDatabase,
} from '../../store/log/audit-walk.ts'
import { readTenantOfLog } from '../../store/log/audit-walk-log.ts'
import { openStore, type Store } from '../../store/postgres/open.ts'
import { checkActions } from './check-actions.ts'
import { type ConfigsCursor, checkConfigPage } from './check-configs.ts'
import { type Counters, differs, emptyCounters, isUnproven } from './check-counters.ts'
import { checkDecisionPage, type DecisionsCursor } from './check-decisions.ts'
import {
  checkLeftOvers,
  checkLogPage,
  type KeptCheckpoint,
  type LeftOversCursor,
  type LogsCursor,
} from './check-logs.ts'
import { readNote } from './check-note.ts'

export interface DatabaseCheckOptions {
  /** A postgres:// URL of the service's login, or of a login that may take its role. */
  url: string
  /**
   * The trusted keys; without any, no signature is proven. A retired key proves nothing beyond the size that a log
   * had when the key was retired.
   */
  trusted: readonly TrustedKey[]
  kept: readonly { name: string; note: string }[]
  resume: DatabaseCheckState | null
  /** Log entries per page, and about as many events; 8,192 by default. */
  rowsAtOnce?: number
  /** Receives the state after each page; an error it throws ends the check, which can resume from the last state. */
  onPage(state: DatabaseCheckState): void | Promise<void>
}

export interface DatabaseCheckState {
  format: 'action-gate-database-check-v3'
  about: string
  done: number
  total: number
  place: Place
  tally: Counters
}

type Place =
  | { phase: 'actions'; cursor: ActionRange }
  | { phase: 'configs'; cursor: ConfigsCursor }
  | { phase: 'decisions'; cursor: DecisionsCursor }
  | { phase: 'logs'; cursor: LogsCursor }
  | { phase: 'left_overs'; cursor: LeftOversCursor }

/** An error for a state from another database, or with other keys or kept checkpoints. */
export class OtherCheckError extends Error {}

/**
 * Checks the whole database: it recomputes every tenant's streams and logs from their events, and compares them
 * with everything stored beside them and in force (specification.md#audit-in-postgres). It only reads, one
 * snapshot per page, while the service runs. It reads a size before the rows, which are only ever added, so that
 * later rows count for the next check; an erasure appears in the same snapshot as its event.
 */
export async function checkDatabase(options: DatabaseCheckOptions): Promise<Counters> {
  const store = openStore(
    { url: options.url },
    { poolSize: 2, statementMsMax: 120_000, name: 'audit-verify', isLost },
  )
  try {
    const { identity, last_action, entries } = await inSnapshot(store, readDatabase)
    const about = aboutOf(identity, options)
    if (options.resume !== null && options.resume.about !== about)
      throw new OtherCheckError('it is of another database, or of other keys or checkpoints')
    const state = options.resume ?? begin(about, last_action, entries)
    const kept = await findKept(store, options, options.resume === null ? state.tally : emptyCounters())
    await walk({ store, kept, options }, state)
    return state.tally
  } finally {
    await store.close()
  }
}

interface Walk {
  store: Store
  kept: KeptCheckpoint[]
  options: DatabaseCheckOptions
}

function begin(about: string, until: string, entries: number): DatabaseCheckState {
  return {
    format: 'action-gate-database-check-v3',
    about,
    done: 0,
    total: entries * 2,
    place: { phase: 'actions', cursor: { after: '', until } },
    tally: emptyCounters(),
  }
}

function aboutOf(identity: string, { trusted, kept }: DatabaseCheckOptions): string {
  const keys = trusted.map(key => [formatVkey(key), JSON.stringify(key.sizes ?? null)].join(' '))
  const grounds = [...keys, ...kept.map(({ note }) => note)]
  return prefixedHex(sha256([identity, ...grounds].join('\n')))
}

async function walk({ store, kept, options }: Walk, state: DatabaseCheckState): Promise<void> {
  const { rowsAtOnce = 8_192 } = options
  const actionsAtOnce = Math.ceil(rowsAtOnce / 16) // An action has about four events, each with a payload.
  const actions = readAhead(range => inSnapshot(store, query => readActionPage(query, range, actionsAtOnce)))
  const { tally } = state
  for (let place: Place | null = state.place; place !== null; ) {
    place = await step(place, { store, kept, trusted: options.trusted, tally, actions, rowsAtOnce })
    const { events, entries } = tally.counted
    if (place !== null) await options.onPage(Object.assign(state, { place, done: events + entries }))
  }
}

interface Means {
  store: Store
  kept: KeptCheckpoint[]
  trusted: readonly TrustedKey[]
  tally: Counters
  rowsAtOnce: number
  actions: (range: ActionRange) => Promise<ActionPage>
}

/** Runs one page of a phase or moves to the next phase; returns null at the end. */
async function step(place: Place, means: Means): Promise<Place | null> {
  switch (place.phase) {
    case 'actions': {
      const page = await means.actions(place.cursor)
      checkActions(page, means.trusted, means.tally)
      const after = page.ids.at(-1)
      return after === undefined
        ? { phase: 'configs', cursor: { after: '', at: null } }
        : { phase: 'actions', cursor: { ...place.cursor, after } }
    }
    case 'configs': {
      const cursor = await checkConfigPage(means, place.cursor)
      return cursor ? { phase: 'configs', cursor } : { phase: 'decisions', cursor: { after: '', at: null } }
    }
    case 'decisions': {
      const cursor = await checkDecisionPage(means, place.cursor)
      return cursor ? { phase: 'decisions', cursor } : { phase: 'logs', cursor: { after: '', at: null } }
    }
    case 'logs': {
      const cursor = await checkLogPage(means, place.cursor)
      return cursor ? { phase: 'logs', cursor } : { phase: 'left_overs', cursor: { after: 0 } }
    }
    case 'left_overs': {
      const cursor = await checkLeftOvers(means, place.cursor)
      return cursor && { phase: 'left_overs', cursor }
    }
  }
}

function readAhead(
  read: (range: ActionRange) => Promise<ActionPage>,
): (range: ActionRange) => Promise<ActionPage> {
  let ahead: { after: string; page: Promise<ActionPage> } | null = null
  return async range => {
    const page = await (ahead?.after === range.after ? ahead.page : read(range))
    const after = page.ids.at(-1)
    if (after !== undefined) {
      const next = read({ ...range, after })
      next.catch(() => undefined) // The caller that asks for that page gets the error, so it is ignored here.
      ahead = { after, page: next }
    }
    return page
  }
}

async function findKept(
  store: Store,
  { kept, trusted }: DatabaseCheckOptions,
  tally: Counters,
): Promise<KeptCheckpoint[]> {
  const found: KeptCheckpoint[] = []
  for (const { name, note } of kept) {
    const read = readNote(note, trusted)
    if (!read.ok) {
      differs(tally, name, read.error)
      continue
    }
    const { origin, size, root, proven } = read.value
    const tenant_id = await inSnapshot(store, query =>
      readTenantOfLog(query, origin.replace(/^.*\/log\//s, '')),
    )
    if (tenant_id === null) differs(tally, name, `there is no log ${origin} in the database any more`)
    else found.push({ tenant_id, size, root })
    if (!proven) isUnproven(tally, 'kept checkpoints that no given key signed', name)
  }
  return found
}
