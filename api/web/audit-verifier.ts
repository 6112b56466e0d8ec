/**
 * The offline verifier as a module for browsers (specification.md#audit-verifier): `verifyExport` takes the bytes of a file
 * and keys of `readTrustedKeys`, and asks nothing of a network. `npm run build` makes one file of it, in which
 * `shared/canon/portable/` stands for what needs Node.
 */

import './verifier-settings.ts'

export { readTrustedKeys, type TrustedKey } from '../../shared/audit/note/trusted-keys.ts'
export type { Check, CheckName, Outcome, Verification } from '../../shared/audit/verify/verification.ts'
export type { Grounds } from '../../shared/audit/verify/verify-export.ts'
export { verifyExport } from '../../shared/audit/verify/verify-export.ts'
