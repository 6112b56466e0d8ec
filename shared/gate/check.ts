import type { DenialCode } from '../contract/action/denials.ts'
import type { Check } from '../contract/action/verdict.ts'

/** The names of the gate's checks, in the order in which a verdict lists them; `parameters_schema` repeats per fault. */
export type CheckName =
  | 'system_allowed'
  | 'operation_allowed'
  | 'actuator_registered'
  | 'catalog_entry'
  | 'parameters_schema'
  | 'actuator_binding'
  | 'tool_schema_commitment'
  | ParameterCheckName
  | 'approval_threshold'
  | 'not_frozen'
  | 'bounded_grant'

/** These repeat per constrained parameter, in the order of the parameter paths. */
export type ParameterCheckName =
  | 'parameter_present'
  | 'parameter_equals'
  | 'parameter_one_of'
  | 'parameter_is_number'
  | 'parameter_min'
  | 'parameter_max'

/** What a check is about: its name and where in the proposal it looks. */
export interface Subject {
  check: CheckName
  path: string | null
}

export function passed(
  subject: Subject,
  message: string,
  code: 'approval_required' | 'granted' | null = null,
): Check {
  return { check: subject.check, outcome: 'pass', code, message, path: subject.path }
}

export function failed(subject: Subject, code: DenialCode, message: string): Check {
  return { check: subject.check, outcome: 'fail', code, message, path: subject.path }
}

export function skipped(subject: Subject, message: string): Check {
  return { check: subject.check, outcome: 'skipped', code: null, message, path: subject.path }
}

/** A check that does not depend on the proposal: one object for all verdicts, which nobody changes and which is printed once. */
export function shared(check: Check): Check {
  return Object.freeze(check)
}
