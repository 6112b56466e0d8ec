import { useEffect, useState } from 'react'
import type { EndpointName } from '../../../shared/contract/endpoints/endpoints.ts'
import { type Answered, type CallInput, call } from './call.ts'

/**
 * An answer to the last input; the answer to an earlier input stays visible, marked `asking`, until the new one
 * arrives.
 */
export interface Answer<Name extends EndpointName> {
  asking: boolean
  data: Answered<Name> | null
  error: Error | null
}

/**
 * Asks the service about text that is being typed, once the typing has paused for `restMs`. Compares `input` by
 * identity; null sends no request. Caches nothing, unlike a query, so that an input may be large.
 */
export function useAnswer<Name extends EndpointName>(
  name: Name,
  input: CallInput<Name> | null,
  restMs: number,
): Answer<Name> {
  const [answer, setAnswer] = useState<Answer<Name>>({ asking: input !== null, data: null, error: null })
  useEffect(() => {
    if (!input) return setAnswer({ asking: false, data: null, error: null })
    setAnswer(previous => ({ ...previous, asking: true }))
    const aborter = new AbortController()
    const timer = window.setTimeout(() => {
      call(name, { ...input, signal: aborter.signal }).then(
        data => setAnswer({ asking: false, data, error: null }),
        (error: Error) => {
          if (!aborter.signal.aborted) setAnswer({ asking: false, data: null, error })
        },
      )
    }, restMs)
    return () => {
      window.clearTimeout(timer)
      aborter.abort()
    }
  }, [name, input, restMs])
  return answer
}
