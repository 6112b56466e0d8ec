/**
 * The reasons for a denial (specification.md#the-gate). A fault in the form of the parameters may be corrected,
 * but a decision of the policy is final. A broken bound is a decision too, because splitting a payment to stay
 * below the bound would evade the policy.
 */
const denials = {
  system_not_allowed: 'final',
  operation_not_allowed: 'final',
  explicit_operation_required: 'final',
  actuator_not_registered: 'final',
  catalog_required: 'final',
  operation_not_in_catalog: 'final',
  parameters_outside_schema: 'mend',
  actuator_binding_mismatch: 'final',
  tool_schema_mismatch: 'final',
  frozen: 'final',
  parameter_missing: 'mend',
  parameter_ambiguous: 'mend',
  parameter_not_equal: 'final',
  parameter_not_one_of: 'final',
  parameter_not_a_number: 'mend',
  parameter_below_min: 'final',
  parameter_above_max: 'final',
} as const

export type DenialCode = keyof typeof denials

/** The advice to the proposer. It is in one table, so that HTTP, MCP and the client give the same advice. */
const afterwards = {
  mend: 'Mending it is welcome: correct what is named, and propose it again as a new action.',
  final: 'Stop and show the reasons; do not try another way.',
} as const

/** Returns the advice for reasons of the form `code: message`. One final reason makes the whole denial final. */
export function afterDenial(reasons: readonly string[]): { mendable: boolean; next: string } {
  const codes = reasons.map(reason => reason.split(':', 1)[0] ?? '')
  const mends = codes.every(code => Object.hasOwn(denials, code) && denials[code as DenialCode] === 'mend')
  const mendable = mends && codes.length > 0
  return { mendable, next: afterwards[mendable ? 'mend' : 'final'] }
}
