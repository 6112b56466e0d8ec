/**
 * The offline verifier as a module for browsers (specification.md#audit-verifier). `verifyExport` takes the bytes
 * of a file and the keys from `readTrustedKeys`, and needs no network. `npm run build` bundles one file, and
 * replaces modules that need Node by `shared/canon/portable/`.
 */

import './verifier-settings.ts'

export { readTrustedKeys, type TrustedKey } from '../../shared/audit/note/trusted-keys.ts'
export type { Check, CheckName, Outcome, Verification } from '../../shared/audit/verify/verification.ts'
export type { Grounds } from '../../shared/audit/verify/verify-export.ts'
export { verifyExport } from '../../shared/audit/verify/verify-export.ts'
