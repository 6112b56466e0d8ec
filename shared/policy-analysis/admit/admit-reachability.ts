import type { Slices } from '../../contract/base/slices.ts'
import type { Hole } from '../../contract/configuration/admission.ts'
import { type AllowedOperation, constraintsFor, listedOperations } from './admit-entries.ts'
import { hole } from './admit-hole.ts'
import type { AdmissionInput } from './admit-input.ts'
import type { OperationProof, ProveOperation } from './admit-proof.ts'

/** Returns the admission holes that need a proof of reachability: COV-3, COV-6 to COV-8 and SCH-5. */
export function* reachHoles(
  { policy, mode, catalog, deployment }: AdmissionInput,
  allowed: readonly AllowedOperation[],
  prove: ProveOperation,
): Slices<Hole[]> {
  const holes: Hole[] = []
  const unreviewedPasses = mode === 'basic' && catalog === null
  let somethingPasses =
    unreviewedPasses && policy.allowed_systems.some(system => !listedOperations(policy, system))
  // The gate would refuse an unsound entry, so nothing can be proved about it.
  for (const operation of allowed.filter(({ entry }) => entry === null || entry.sound !== null)) {
    const paths = Object.keys(constraintsFor(policy, operation))
    const proof = prove({ ...operation, policy, entry: operation.entry?.sound ?? null })
    if ((yield* proof.passes()) === false) {
      holes.push(yield* impassable(operation, proof))
      continue
    }
    if (operation.entry || unreviewedPasses) somethingPasses = true
    holes.push(
      ...(yield* irreversible(operation, proof)),
      ...(yield* idleConstraints(operation, paths, proof)),
    )
  }
  const { approvals_required = 1 } = policy
  if (somethingPasses && deployment.approvers < approvals_required)
    holes.push(tooFewApprove(deployment.approvers, approvals_required))
  return holes
}

function* impassable(operation: AllowedOperation, proof: OperationProof): Slices<Hole> {
  const { entry } = operation
  if (entry && (yield* proof.schemaTakes()) === false) {
    const path = [...entry.path, 'parameter_schema']
    return hole('SCH-5', 'no parameters meet the schema', { ...operation, path })
  }
  return hole('COV-6', 'no proposal for the operation meets both schema and constraints', operation)
}

/** Returns COV-3 unless it is proved that a person decides about the irreversible operation. */
function* irreversible(operation: AllowedOperation, proof: OperationProof): Slices<Hole[]> {
  if (operation.entry?.entry.reversibility !== 'irreversible') return []
  const witness = yield* proof.allowed()
  if (witness === null) return []
  if (witness === 'inconclusive') {
    const message = 'it was not proved that a person decides about this irreversible operation'
    return [hole('COV-3', message, operation)]
  }
  const message = 'the operation cannot be undone, and the gate allows the witness without a person'
  return [hole('COV-3', message, { ...operation, witness })]
}

function* idleConstraints(
  operation: AllowedOperation,
  paths: readonly string[],
  proof: OperationProof,
): Slices<Hole[]> {
  const holes: Hole[] = []
  for (const path of paths) {
    if ((yield* proof.breaksOnly(path)) !== false) continue
    const message = `what the constraint on ${path} refuses is refused without it`
    const at = ['policy', 'parameter_constraints', operation.system, operation.operation, path]
    holes.push(hole('COV-7', message, { ...operation, path: at }))
  }
  return holes
}

function tooFewApprove(approvers: number, required: number): Hole {
  const message =
    approvers === 0
      ? 'a proposal that claims high risk is held, and nobody has a key to approve it'
      : `a proposal that claims high risk needs ${required} approvals, and the keys are those of ${approvers}`
  return hole('COV-8', message, { path: ['policy', 'review_route'] })
}
