import { StartupError } from '../startup-error.ts'

export type EmbeddedPostgresErrorCode =
  | 'directory_in_use'
  | 'directory_unusable'
  | 'start_failed'
  | 'unsupported_platform'

/** The embedded PostgreSQL could not be started. The message says what the operator can do about it. */
export class EmbeddedPostgresError extends StartupError {
  readonly code: EmbeddedPostgresErrorCode

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddedPostgresError'
    this.code = code
  }
}
