import { useEffect, useId } from 'react'

/**
 * The reported numbers of waiting actions. The window's title and icon show the largest, so that people see it in
 * another tab.
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

/** Reports a number of waiting actions while the component is mounted. The largest reported number is shown. */
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
  // An installed page shows the number on its app icon. Systems without such badges still show title and favicon.
  void navigator.setAppBadge?.(count).catch(() => undefined)
}

/**
 * Returns one of the stored pictures, because the content security policy rejects pictures that a page generates.
 */
function iconOf(count: number): string {
  const name = count > largestOnIcon ? 'more' : count
  return new URL(`../../styles/waiting/${name}.svg`, import.meta.url).href
}
