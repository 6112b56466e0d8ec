import { useEffect, useState } from 'react'

/** Returns a value that has not changed for `restMs`, so that expensive work does not run at every keystroke. */
export function useRested<Value>(value: Value, restMs: number): Value {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(value), restMs)
    return () => window.clearTimeout(timer)
  }, [value, restMs])
  return rested
}
