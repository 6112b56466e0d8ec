import { useSyncExternalStore } from 'react'

const wide = window.matchMedia('(min-width: 64rem)')

/** Returns true if two panels fit side by side: at the style's breakpoint `lg`. */
export function useWide(): boolean {
  return useSyncExternalStore(
    listener => {
      wide.addEventListener('change', listener)
      return () => wide.removeEventListener('change', listener)
    },
    () => wide.matches,
  )
}
