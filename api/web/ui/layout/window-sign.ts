import { useEffect, useId } from 'react'

/**
 * The number of waiting actions, shown before the window's title and on its icon, so that people see it while they look
 * elsewhere. The frame reports it on every page, and a list with a fresher number reports its own.
 */
let title = 'Action Gate'
const counts = new Map<string, number>()
const shownMax = 999
const plainIcon = new URL('../../styles/gate.svg', import.meta.url).href
const largestOnIcon = 9

export function useWindowTitle(text: string): void {
  useEffect(() => {
    title = `${text} · Action Gate`
    show()
  }, [text])
}

/** Reports a waiting count while the component is mounted; the largest of several counts is shown. */
export function useWaiting(count: number): void {
  const id = useId()
  useEffect(() => {
    counts.set(id, count)
    show()
    return () => {
      counts.delete(id)
      show()
    }
  }, [id, count])
}

function show(): void {
  const count = Math.max(0, ...counts.values())
  const told = count > shownMax ? `(${shownMax}+) ` : `(${count}) `
  document.title = `${count > 0 ? told : ''}${title}`
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  icon?.setAttribute('href', count > 0 ? iconOf(count) : plainIcon)
  // An installed page shows the number on its app icon; title and favicon remain if the system has no badge.
  void navigator.setAppBadge?.(count).catch(() => undefined)
}

/** Returns a picture per number, because the content security policy refuses pictures that a page generates. */
function iconOf(count: number): string {
  const name = count > largestOnIcon ? 'more' : count
  return new URL(`../../styles/waiting/${name}.svg`, import.meta.url).href
}
