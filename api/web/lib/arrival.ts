import { useEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/**
 * Focuses the heading after a navigation, so that a screen reader announces the new page. Keeps a focus that is
 * already in the content or in an open dialog. Does nothing on the first page after a load, unless a form that has
 * disappeared led there (`entered`).
 */
export function useArrival(contentId: string, entered: boolean): void {
  const { pathname } = useLocation()
  const loaded = useNavigationType() === 'POP'
  const last = useRef(loaded && !entered ? pathname : null)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    const content = document.getElementById(contentId)
    const focused = document.activeElement
    if (!content || (focused !== content && content.contains(focused))) return
    if (focused?.closest('[role="dialog"][data-open]')) return
    if (!loaded) window.scrollTo(0, 0)
    const heading = content.querySelector('h1') ?? content
    heading.focus({ preventScroll: true })
  }, [pathname, loaded, contentId])
}
