import { issuerNameSchema, issuerSchema } from '../../contract/configuration/issuer-schema.ts'
import { flag, namedInJson, row, type Setting, secret } from './setting.ts'

/** Issuers by name, as they stand in a setting; each address once. */
const issuers = namedInJson(issuerNameSchema, issuerSchema).refine(
  named => new Set([...named.values()].map(({ issuer }) => issuer)).size === named.size,
  'must name each issuer once',
)

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
