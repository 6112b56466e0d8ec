import { useEffect, useState } from 'react'
import type { EndpointName } from '../../../shared/contract/endpoints/endpoints.ts'
import { type Answered, type CallInput, call } from './call.ts'

/** What the service says to the last input; the answer to an earlier one stays until then, marked `asking`. */
export interface Answer<Name extends EndpointName> {
  asking: boolean
  data: Answered<Name> | null
  error: Error | null
}

/**
 * Ask the service about something that is being typed: once it has rested for `restMs`. `input` is compared by identity;
 * null: there is nothing to ask. Unlike a query it keeps nothing, so that an input may be large.
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
