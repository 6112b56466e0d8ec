import { useEffect, useRef, useState } from 'react'

/** A document that is being edited. `base` is the revision that the draft started from. */
export interface Draft {
  text: string
  base: { revision: number; text: string }
}

const prefix = 'action-gate-draft/'
const settleMs = 300

/**
 * Returns the unsaved draft `name` of this tab, or null. A draft survives a reload, unless the browser has no room
 * for it (`kept` is false). Leaving the page with a draft needs a confirmation.
 */
export function useStoredDraft(name: string): {
  draft: Draft | null
  kept: boolean
  put(draft: Draft | null): void
} {
  const key = `${prefix}${name}`
  const [draft, setDraft] = useState(() => read(key))
  const [kept, setKept] = useState(true)
  const current = useRef(draft)
  const unwritten = useRef(false)
  useEffect(() => {
    const flush = (): void => {
      if (unwritten.current) setKept(write(key, current.current))
      unwritten.current = false
    }
    const ask = (event: BeforeUnloadEvent): void => {
      flush()
      if (current.current) event.preventDefault()
    }
    const timer = window.setInterval(flush, settleMs)
    window.addEventListener('pagehide', flush)
    window.addEventListener('beforeunload', ask)
    return () => {
      flush()
      window.clearInterval(timer)
      window.removeEventListener('pagehide', flush)
      window.removeEventListener('beforeunload', ask)
    }
  }, [key])
  return {
    draft,
    kept,
    put(next) {
      current.current = next
      unwritten.current = true
      setDraft(next)
    },
  }
}

/** Deletes all drafts, so that the next person who signs in in this tab cannot read them. */
export function forgetDrafts(): void {
  for (const key of Object.keys(window.sessionStorage))
    if (key.startsWith(prefix)) window.sessionStorage.removeItem(key)
}

function read(key: string): Draft | null {
  const text = window.sessionStorage.getItem(key)
  return text === null ? null : (JSON.parse(text) as Draft)
}

function write(key: string, draft: Draft | null): boolean {
  try {
    if (draft) window.sessionStorage.setItem(key, JSON.stringify(draft))
    else window.sessionStorage.removeItem(key)
    return true
  } catch {
    return false
  }
}
