import { z } from 'zod'
import { row, type Setting } from './setting.ts'

/** Where workers find what actuators prove themselves with. */
export const secretSettings = {
  actuator_secrets_dir: row(
    'SERVICE_ACTUATOR_SECRETS_DIR',
    undefined,
    z.string().min(1).max(4_000),
    'Directory with a file for each secret of actuators, by the name of its variable (`ACTUATOR_…`); a file that changes is read again, one that is added is found.',
  ),
} as const satisfies Record<string, Setting>
