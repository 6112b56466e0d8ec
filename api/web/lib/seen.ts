import { useEffect, useState } from 'react'

/** Whether an element was in view; once it was, it stays seen. The first of the answer goes to its `ref`. */
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

/** Less than whole, since a page that is zoomed has parts of pixels. */
const nearlyWhole = 0.9
