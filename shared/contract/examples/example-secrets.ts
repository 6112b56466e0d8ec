import type { SecretMetadata, SecretNeed } from '../configuration/secret.ts'
import { exampleOperator } from './example-changes.ts'

const place = 'https://api.payments.example'

export const secretRequest = { actuator: 'payments', value: 'THE-VALUE-IS-NEVER-SHOWN', bound_to: [place] }

export const storedSecret: SecretMetadata = {
  tenant_id: 'web-shop',
  name: 'payments_token',
  version: 1,
  actuator: 'payments',
  bound_to: [place],
  key_id: '5d2c1f0e9b8a7766',
  written_by: exampleOperator,
  written_at: '2026-11-25T03:04:11.402Z',
  confirmed_by: null,
  confirmed_at: null,
  first_used_at: '2026-11-25T03:10:07.218Z',
}

export const secretNeed: SecretNeed = {
  actuator: 'payments',
  path: 'settings.auth.token.secret',
  name: 'payments_token',
  source: 'tenant',
  state: 'ready',
  message: null,
  places: [place],
}
