import type { Proposal } from '../../../../shared/contract/action/proposal-schema.ts'
import { leavesValuesOut } from '../../lib/trace/describe.ts'
import { ForeignJson } from '../json/foreign-json.tsx'

/**
 * Shows every value above the decision button if the description omits any, so that nobody approves unseen values.
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
