import type { AdmissionReport, AdmissionRequest } from '../configuration/admission.ts'

/** What keeps the tenant of the story from strict admission. */
export const exampleAdmissionRequest: AdmissionRequest = { mode: 'strict' }

export const exampleAdmission: AdmissionReport = {
  admitted: false,
  holes: [
    {
      code: 'ACT-2',
      severity: 'blocking',
      system: 'payments',
      operation: null,
      path: 'actuators.payments',
      message: 'what is allowed is only played by a mock',
      fix: 'register the real actuator in its place',
    },
    {
      code: 'COV-4',
      severity: 'warning',
      system: null,
      operation: null,
      path: 'policy.approval_required_at',
      message: 'no allowed operation has a minimum risk of medium: only what a caller calls so is held',
      fix: 'lower approval_required_at, or raise minimum_risk of the operations that a person should decide',
    },
    {
      code: 'SCH-3',
      severity: 'warning',
      system: 'payments',
      operation: 'refund',
      path: 'catalog.operations[0].parameter_schema.properties.amount',
      message: 'a value of type number has no bound there',
      fix: 'bound it: maxLength, minimum and maximum, maxItems, or enum',
    },
  ],
  counts: { blocking: 1, warning: 2, info: 0 },
  holes_omitted: 0,
}
