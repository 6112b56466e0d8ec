import { useEffect, useState } from 'react'
import type { EndpointName } from '../../../shared/contract/endpoints/endpoints.ts'
import { type Answered, type CallInput, call } from './call.ts'

/**
 * The answer to the latest input. While a new answer is awaited, `asking` is true and `data` keeps the old answer.
 */
export interface Answer<Name extends EndpointName> {
  asking: boolean
  data: Answered<Name> | null
  error: Error | null
}

/**
 * Sends typed text to the service once nobody has typed for `restMs`. Compares `input` by identity, and sends
 * nothing for null. Caches no answers, so that an input may be large.
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
