import type { Proposal } from '../../../../shared/contract/action/proposal-schema.ts'
import { leavesValuesOut } from '../../lib/trace/describe.ts'
import { ForeignJson } from '../json/foreign-json.tsx'

/**
 * Shows every value of an action above the decision button, if the sentence omits any, so that nothing is approved
 * unseen.
 */
export function AllValues({
  parameters,
  label = 'All values',
}: {
  parameters: Proposal['action']['parameters']
  label?: string
}) {
  return leavesValuesOut(parameters) ? <ForeignJson value={parameters} label={label} /> : null
}
