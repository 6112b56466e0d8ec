import type { Hole } from '../../../shared/contract/configuration/admission.ts'
import type { AdmissionInput } from '../../../shared/policy-analysis/admit/admit-input.ts'

export interface HoleCase {
  name: string
  input: AdmissionInput
  /** Every hole, one line each: the sound tenant, of which it is a change, has none of them. */
  holes: Partial<Hole>[]
}
