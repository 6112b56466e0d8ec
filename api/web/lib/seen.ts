import { useEffect, useState } from 'react'

/** Returns true once an element was in view, and stays true. The first item of the pair is the element's `ref`. */
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

/** A ratio below 1, since zoomed pages have fractional pixels and may never report the whole element. */
const nearlyWhole = 0.9
