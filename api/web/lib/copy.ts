import { useEffect, useState } from 'react'

/** Copies a text; `copied` lasts two seconds, and `failed` reports that the browser denied the clipboard. */
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
