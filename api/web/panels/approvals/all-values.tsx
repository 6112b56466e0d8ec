import type { Proposal } from '../../../../shared/contract/action/proposal-schema.ts'
import { leavesValuesOut } from '../../lib/trace/describe.ts'
import { ForeignJson } from '../json/foreign-json.tsx'

/** Every value of an action before the button that decides it, where the sentence does not tell all of them. */
export function AllValues({
  parameters,
  label = 'All values',
}: {
  parameters: Proposal['action']['parameters']
  label?: string
}) {
  return leavesValuesOut(parameters) ? <ForeignJson value={parameters} label={label} /> : null
}
