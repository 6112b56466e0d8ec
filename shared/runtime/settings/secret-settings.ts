import { z } from 'zod'
import { row, type Setting, secret } from './setting.ts'

/** Where workers find what actuators prove themselves with. */
export const secretSettings = {
  actuator_secrets_dir: row(
    'SERVICE_ACTUATOR_SECRETS_DIR',
    undefined,
    z.string().min(1).max(4_000),
    'Directory with a file for each secret of actuators, by the name of its variable (`ACTUATOR_…`); a file that changes is read again, one that is added is found.',
  ),
  secrets_key: secret(
    row(
      'SERVICE_SECRETS_KEY',
      undefined,
      z.string().max(100_000),
      'X25519 private key (PKCS #8 PEM) that opens the secrets of tenants, or several, the oldest first; only workers have it. Embedded mode makes its own.',
    ),
  ),
  secrets_public_key: secret(
    row(
      'SERVICE_SECRETS_PUBLIC_KEY',
      undefined,
      z.string().max(10_000),
      'Its public key (SPKI PEM), to which the API seals what is written; default: that of the newest `SERVICE_SECRETS_KEY`.',
    ),
  ),
} as const satisfies Record<string, Setting>
