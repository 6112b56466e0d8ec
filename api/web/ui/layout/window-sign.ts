import { useEffect, useId } from 'react'

/**
 * What a person sees of the window while they look elsewhere: how many actions wait for them, before its title and on its
 * icon. The frame says it on every page, and a list that knows better on its own.
 */
let title = 'Action Gate'
const counts = new Map<string, number>()
const shownMax = 999
const plainIcon = new URL('../../styles/gate.svg', import.meta.url).href
const largestOnIcon = 9

/** Name the window after a page. */
export function useWindowTitle(text: string): void {
  useEffect(() => {
    title = `${text} · Action Gate`
    show()
  }, [text])
}

/** Say how many wait, as long as this part of the page is there; of several the largest counts. */
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
  // An installed page has the number on its own icon; where the system has none, title and dot say it.
  void navigator.setAppBadge?.(count).catch(() => undefined)
}

/** One picture for each number that can be read so small; the policy of content takes none that is made by a page. */
function iconOf(count: number): string {
  const name = count > largestOnIcon ? 'more' : count
  return new URL(`../../styles/waiting/${name}.svg`, import.meta.url).href
}
