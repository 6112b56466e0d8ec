import { useEffect, useRef, useState } from 'react'

const stored = 'action-gate-shortcuts'

/** Returns true if single-letter shortcuts are on. People can turn them off (WCAG 2.1.4). */
export function useShortcutChoice(): [on: boolean, choose: (on: boolean) => void] {
  const [on, setOn] = useState(() => window.localStorage.getItem(stored) !== 'off')
  return [
    on,
    next => {
      if (next) window.localStorage.removeItem(stored)
      else window.localStorage.setItem(stored, 'off')
      setOn(next)
    },
  ]
}

/** Runs single-letter shortcuts, except while a text field has the focus or a dialog is open. */
export function useShortcuts(on: boolean, actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions)
  current.current = actions
  useEffect(() => {
    if (!on) return
    const press = (event: KeyboardEvent): void => {
      const act = current.current[event.key]
      if (!act || event.ctrlKey || event.metaKey || event.altKey || event.repeat || isBusy(event.target))
        return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [on])
}

function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return true
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  )
}
