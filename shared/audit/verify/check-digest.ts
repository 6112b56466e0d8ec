import type { AuditExport } from '../../contract/action/action.ts'
import { exportDigest } from '../event/export-digest.ts'
import { type Finding, failed, proven } from './verification.ts'

/** The last of the checks, since it covers what no signature does and says the least about what is wrong. */
export function checkDigest(exported: AuditExport): Finding {
  return exported.digest === exportDigest(exported)
    ? proven('the rest of the file is as it left the service, unless somebody took pains')
    : failed('the file is damaged: its digest is not that of its content')
}
