/** Something that the service needs is not there at start-up: the message says what and how to mend it. Exit code 1. */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartupError'
  }
}
