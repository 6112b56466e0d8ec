import type { Dispatcher } from 'undici'

/** The lease or the time of an attempt was over before the first byte of a request: none was sent. */
export class TooLate extends Error {
  readonly code = 'too_late'

  constructor() {
    super('the time of the attempt was over before the request was sent')
  }
}

/** The same in an error or its causes. */
export function isTooLate(error: unknown): boolean {
  if (error instanceof TooLate) return true
  return error instanceof Error && isTooLate(error.cause)
}

/**
 * Calls `begin` for each request at the last moment before its first byte is written to a connection that has come about;
 * what that throws ends the request, and nothing is written.
 */
export function beforeEachRequest(begin: () => void): Dispatcher.DispatcherComposeInterceptor {
  return dispatch => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        begin()
        handler.onRequestStart?.(controller, context)
      },
      onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
      onResponseStart: (...given) => handler.onResponseStart?.(...given),
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    })
}
