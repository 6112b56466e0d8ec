import { setImmediate } from 'node:timers/promises'
import type { ListedAccess, OperationAccess } from '../../contract/access/access-schema.ts'
import { type AccessRules, type AccessTarget, anyOther, exampleAccess } from '../../gate/operation-access.ts'
import { proveAccess } from '../../policy-analysis/verify/prove-access.ts'
import type { ActiveDocuments, Rules } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'
import type { ProofSubject } from './run-proof.ts'

/** Collects the rules for answers about operations; a null `key_id` asks for any agent of the tenant. */
export function accessRules(
  { policy, catalog }: Pick<ProofSubject, 'policy' | 'catalog'>,
  { compiled, freezes, grants }: Pick<Rules, 'compiled' | 'freezes' | 'grants'>,
  { pauses }: Pick<ActiveDocuments, 'pauses'>,
  key_id: string | null,
): AccessRules {
  return { policy, catalog, compiled, freezes, grants, pauses, key_id }
}

export interface Answering extends Pick<Context, 'prove'> {
  config: Pick<Context['config'], 'body_limit'>
  events: Pick<Context['events'], 'proofNotConfirmed'>
}

/** The number of operations answered at once, which takes a few milliseconds; other work runs in between. */
const together = 500

/** Answers how the gate would decide proposals for each operation; if an example does not show it, a proof does. */
export async function readAccess(
  context: Answering,
  rules: AccessRules,
  targets: readonly AccessTarget[],
): Promise<OperationAccess[]> {
  const shown: (OperationAccess | null)[] = []
  for (const target of targets) {
    shown.push(exampleAccess(rules, target))
    if (shown.length % together === 0) await setImmediate()
  }
  const unsure = targets.filter((_, at) => shown[at] === null)
  if (unsure.length === 0) return shown as OperationAccess[]
  const { body_limit: bodyLimit } = context.config
  const { answers, mismatches } = await context.prove(proveAccess({ rules, targets: unsure, bodyLimit }))
  if (mismatches.length > 0) context.events.proofNotConfirmed(mismatches)
  const proved = answers.values()
  return shown.map(access => access ?? (proved.next().value as OperationAccess))
}

export async function listAccess(
  context: Answering,
  rules: AccessRules,
  targets: readonly AccessTarget[],
): Promise<ListedAccess[]> {
  const answers = await readAccess(context, rules, targets)
  return targets.map(({ system, operation }, at) => ({
    system,
    operation: operation === anyOther ? null : operation,
    ...(answers[at] as OperationAccess),
  }))
}
