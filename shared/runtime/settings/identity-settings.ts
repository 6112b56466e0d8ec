import {
  issuerNameSchema,
  issuerSchema,
  type OperatorIssuerSetting,
  operatorIssuerSchema,
} from '../../contract/configuration/issuer-schema.ts'
import { flag, namedInJson, row, type Setting, secret } from './setting.ts'

/** Issuers by name. No two issuers may have the same address. */
const issuers = namedInJson(issuerNameSchema, issuerSchema).refine(isEachOnce, 'must name each issuer once')
const operatorIssuers = namedInJson(issuerNameSchema, operatorIssuerSchema).refine(
  isEachOnce,
  'must name each issuer once',
)

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
  operator_issuers: secret(
    row(
      'SERVICE_OPERATOR_ISSUERS',
      '{}',
      operatorIssuers,
      'Issuers of OpenID Connect where [operators](specification.md#operators) sign in to `/admin`: JSON like that of `SERVICE_OIDC_ISSUERS`, without `sign_up`, `groups_claim` and `groups`; empty: an admin key alone opens it. `SERVICE_OPERATOR_ISSUERS_FILE` may name a file with it.',
    ),
  ),
} as const satisfies Record<string, Setting>

function isEachOnce(named: ReadonlyMap<string, OperatorIssuerSetting>): boolean {
  return new Set([...named.values()].map(({ issuer }) => issuer)).size === named.size
}
