import { useEffect, useState } from 'react'

/**
 * Copies a text to the clipboard. `copied` returns to `idle` after two seconds. `failed` says that the browser
 * denied access.
 */
export function useCopy(): { state: 'idle' | 'copied' | 'failed'; copy(text: string): void } {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = window.setTimeout(() => setState('idle'), 2_000)
    return () => window.clearTimeout(timer)
  }, [state])
  return {
    state,
    copy(text) {
      if (!('clipboard' in navigator)) return setState('failed')
      navigator.clipboard.writeText(text).then(
        () => setState('copied'),
        () => setState('failed'),
      )
    },
  }
}
