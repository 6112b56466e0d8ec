import { z } from 'zod'
import { parseStrictJson } from '../../canon/strict-json.ts'
import { issuerNameSchema, issuerSchema } from '../../contract/configuration/issuer-schema.ts'
import { flag, row, type Setting, secret } from './setting.ts'

/** Issuers by name, as they stand in a setting; each address once. */
const issuers = z
  .string()
  .transform((text, check): unknown => {
    const read = parseStrictJson(Buffer.from(text))
    if (read.ok) return read.value
    check.addIssue({ code: 'custom', message: `must be JSON: ${read.issue.message}` })
    return z.NEVER
  })
  .pipe(z.record(issuerNameSchema, issuerSchema))
  .refine(
    named => new Set(Object.values(named).map(({ issuer }) => issuer)).size === Object.keys(named).length,
    'must name each issuer once',
  )
  .transform(named => new Map(Object.entries(named)))

/** Who may have an account, and how people prove who they are. */
export const identitySettings = {
  local_accounts: row(
    'SERVICE_LOCAL_ACCOUNTS',
    'true',
    flag,
    'Whether hosted accounts may be made and opened with address and password; `false`: only at issuers.',
  ),
  oidc_issuers: secret(
    row(
      'SERVICE_OIDC_ISSUERS',
      '{}',
      issuers,
      'Issuers of OpenID Connect where people may sign in: JSON, `{"name": {"title": "…", "issuer": "https://…", "client_id": "…", "client_secret": {"env": "OIDC_…"}}}`, or `{"file": "…"}`; empty: none. `SERVICE_OIDC_ISSUERS_FILE` may name a file with it. [Sign-in elsewhere](specification.md#sign-in-elsewhere) has every member.',
    ),
  ),
} as const satisfies Record<string, Setting>
