import type { Slices } from '../../contract/base/slices.ts'
import {
  type AdmissionReport,
  type Hole,
  holeCodes,
  holesListedMax,
} from '../../contract/configuration/admission.ts'
import { actuatorHoles } from './admit-actuators.ts'
import { catalogHoles } from './admit-catalog.ts'
import { coverageHoles } from './admit-coverage.ts'
import { allowedOperations, readEntries } from './admit-entries.ts'
import { hole } from './admit-hole.ts'
import type { AdmissionInput, Deployment } from './admit-input.ts'
import { type ProveOperation, proveOperation } from './admit-proof.ts'
import { reachHoles } from './admit-reachability.ts'
import { routeHoles } from './admit-route.ts'
import { schemaHoles } from './admit-schemas.ts'

/**
 * Returns every hole that blocks or weakens strict admission (specification.md#admission-holes). Blocking
 * holes come first; within a severity, code and name decide the order. The function is pure and yields after
 * every proof, so that its caller can run other work.
 */
export function* admissionHoles(
  input: AdmissionInput,
  prove: ProveOperation = proveOperation,
): Slices<Hole[]> {
  const entries = yield* readEntries(input.catalog)
  const allowed = allowedOperations(input, entries)
  const holes = [
    ...coverageHoles(input, entries, allowed),
    ...(yield* reachHoles(input, allowed, prove)),
    ...routeHoles(input),
    ...(yield* schemaHoles(entries, input.policy)),
    ...catalogHoles(input, entries),
    ...actuatorHoles(input, allowed),
    ...deploymentHoles(input.deployment),
  ]
  return holes.sort(inOrder)
}

export function admissionReport(holes: readonly Hole[]): AdmissionReport {
  const count = (severity: Hole['severity']) => holes.filter(one => one.severity === severity).length
  const counts = { blocking: count('blocking'), warning: count('warning'), info: count('info') }
  const listed = holes.slice(0, holesListedMax)
  return {
    admitted: counts.blocking === 0,
    holes: listed,
    counts,
    holes_omitted: holes.length - listed.length,
  }
}

function deploymentHoles({ signing, durable, worker_seen }: Deployment): Hole[] {
  return [
    ...(signing ? [] : [hole('DEP-1', 'audits are not signed')]),
    ...(durable ? [] : [hole('DEP-2', 'actions and jobs are gone when the process ends')]),
    ...(worker_seen ? [] : [hole('DEP-3', 'no worker was seen within its heartbeat')]),
  ]
}

const severities: readonly Hole['severity'][] = ['blocking', 'warning', 'info']

function inOrder(left: Hole, right: Hole): number {
  return (
    severities.indexOf(left.severity) - severities.indexOf(right.severity) ||
    holeCodes.indexOf(left.code) - holeCodes.indexOf(right.code) ||
    byName(left.system, right.system) ||
    byName(left.operation, right.operation) ||
    byName(left.path, right.path) ||
    byName(left.message, right.message)
  )
}

function byName(left: string | null, right: string | null): number {
  if (left === right) return 0
  return (left ?? '') < (right ?? '') ? -1 : 1
}
