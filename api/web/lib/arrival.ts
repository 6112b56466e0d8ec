import { useEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/**
 * At a new place reading goes on at its heading, which a screen reader then says. Not where the focus is in the content
 * already: that moved it, or it stayed, as with tabs; not out of an open dialog; and not at the first place of a page
 * that was just loaded, unless it was `entered` through a form that is gone.
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
