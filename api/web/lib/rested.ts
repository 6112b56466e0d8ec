import { useEffect, useState } from 'react'

/** A value as it was when it last rested for so long: what follows from it is not worked out at every key. */
export function useRested<Value>(value: Value, restMs: number): Value {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(value), restMs)
    return () => window.clearTimeout(timer)
  }, [value, restMs])
  return rested
}
