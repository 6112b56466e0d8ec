import { useSyncExternalStore } from 'react'

const wide = window.matchMedia('(min-width: 64rem)')

/** Whether two parts of a page have room side by side: the breakpoint `lg` of the style. */
export function useWide(): boolean {
  return useSyncExternalStore(
    listener => {
      wide.addEventListener('change', listener)
      return () => wide.removeEventListener('change', listener)
    },
    () => wide.matches,
  )
}
