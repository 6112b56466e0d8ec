import { useEffect, useState } from 'react'

/** Returns a `ref` and whether its element has ever been in view. */
export function useSeen(): [ref: (element: HTMLElement | null) => void, seen: boolean] {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    if (!element || seen) return
    const observer = new IntersectionObserver(
      entries => {
        if (entries.some(({ intersectionRatio }) => intersectionRatio >= nearlyWhole)) setSeen(true)
      },
      { threshold: nearlyWhole },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [element, seen])
  return [setElement, seen]
}

/** The visible share that counts as seen. A zoomed page has fractional pixels and may never report 1. */
const nearlyWhole = 0.9
