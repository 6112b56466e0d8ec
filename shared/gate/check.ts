import type { DenialCode } from '../contract/action/denials.ts'
import type { Check } from '../contract/action/verdict.ts'

/** The names of the gate's checks, in the order in a verdict. `parameters_schema` occurs once per fault. */
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

/** Checks that occur once per constrained parameter, in the order of the parameter paths. */
export type ParameterCheckName =
  | 'parameter_present'
  | 'parameter_equals'
  | 'parameter_one_of'
  | 'parameter_is_number'
  | 'parameter_min'
  | 'parameter_max'

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

/** Freezes a check that is the same for all proposals, so that all verdicts share it and its text is cached. */
export function shared(check: Check): Check {
  return Object.freeze(check)
}
