import ts from 'typescript'
import { listFiles, nodesOf, placeOf, readSources, type SourceFile } from '../architecture/source-tree.ts'

/**
 * Names that only this project used, and the field's names that took their place. Neither an identifier nor a file may
 * have them again.
 */
export const replaced: ReadonlyMap<string, string> = new Map([
  ['amendActions', 'changeActions'],
  ['Amended', 'ChangeOutcome'],
  ['Amendment', 'ActionChange'],
  ['ArrayBreach', 'ArrayViolation'],
  ['Breach', 'Violation'],
  ['Courier', 'WebhookDispatcher'],
  ['createDoor', 'createStartupGate'],
  ['createLane', 'createBatcher'],
  ['createRecent', 'createBoundedMap'],
  ['createTail', 'createLogPoller'],
  ['createTeller', 'createNotifier'],
  ['createWatch', 'createChangePoller'],
  ['governing', 'compiled'],
  ['Governing', 'CompiledPolicy'],
  ['governing_version', 'rules_version'],
  ['Inquiry', 'ReconcileAttempt'],
  ['inquire', 'find_nothing'],
  ['inquiries', 'attempts'],
  ['inquiry', 'due, attempt or invocation'],
  ['keepLog', 'publishLog'],
  ['KeptPlace', 'ScanCursor'],
  ['Lane', 'Partition'],
  ['lane', 'partition, or batcher'],
  ['LeaseKeeper', 'LeaseHeartbeat'],
  ['lineage', 'holder'],
  ['lineageOf', 'holderOf'],
  ['lineUpTenants', 'rotateTenants'],
  ['LoopWatch', 'EventLoopMonitor'],
  ['Meter', 'StepBudget'],
  ['logSetBack', 'logRolledBack'],
  ['LogSetBack', 'RolledBackLog'],
  ['proposer_lineage', 'proposer_holder'],
  ['ringLost', 'wakeUpLost'],
  ['ringsLost', 'wakeUpsLost'],
  ['wallsChecked', 'guardsChecked'],
  ['wallsDown', 'guardsMissing'],
  ['RingQueue', 'WakeUpQueue'],
  ['SchemaBook', 'SchemaIndex'],
  ['Surroundings', 'ActuatorDependencies'],
  ['takePort', 'listenOnPort'],
  ['Tally', 'Counters'],
  ['TellTale', 'Warning'],
  ['throughOutage', 'retryOnOutage'],
  ['TimeUsed', 'DeadlineUsed'],
  ['ToldError', 'SerializedError'],
  ['ToldEvent', 'EventWithPayload'],
  ['tellEvent', 'describeEvent'],
  ['Trial', 'Candidate'],
  ['untilAtRest', 'waitUntilSettled'],
  ['Walls', 'Guards'],
])

const replacedFiles: ReadonlyMap<string, string> = new Map([
  ['amend-action', 'change-action'],
  ['claim-place', 'claim-cursor'],
  ['courier', 'webhook-dispatcher'],
  ['governing', 'compiled-policy'],
  ['inquiries', 'reconcile-attempts'],
  ['keep-log', 'log-publisher'],
  ['kept-places', 'scan-cursors'],
  ['lane', 'batcher'],
  ['lease-keeper', 'lease-heartbeat'],
  ['line-up', 'tenant-rotation'],
  ['lineage', 'holder'],
  ['loop-watch', 'event-loop-monitor'],
  ['meter', 'step-budget'],
  ['recent', 'bounded-map'],
  ['ring-queue', 'wake-up-queue'],
  ['schema-book', 'schema-index'],
  ['tail', 'log-poller'],
  ['take-port', 'listen'],
  ['tally', 'counters'],
  ['teller', 'notifier'],
  ['time-used', 'deadline-used'],
  ['told-error', 'serialized-error'],
  ['told-event', 'event-status'],
  ['trial', 'candidate'],
  ['walls', 'guards'],
  ['watch', 'change-poller'],
  ['within', 'with-timeout'],
])

const folders = ['api', 'shared', 'worker', 'test']

/** The files that have one of the names in their text, of which identifiers are looked at. */
export function suspects(): SourceFile[] {
  const anywhere = new RegExp(`\\b(?:${[...replaced.keys()].join('|')})\\b`)
  return readSources(folders).filter(({ text }) => anywhere.test(text))
}

/** Identifiers that have a name that was replaced. */
export function oldIdentifiers(): string[] {
  return suspects().flatMap(file =>
    nodesOf(file.tree)
      .filter(ts.isIdentifier)
      .filter(({ text }) => replaced.has(text))
      .map(node => `${placeOf(file, node)}: ${node.text}, say ${replaced.get(node.text)}`),
  )
}

/** Files of the product that have one. */
export function oldFileNames(): string[] {
  return listFiles(['api', 'shared', 'worker']).flatMap(path => {
    const name = path.split('/').at(-1)?.split('.')[0] ?? ''
    return replacedFiles.has(name) ? [`${path}: say ${replacedFiles.get(name)}`] : []
  })
}
