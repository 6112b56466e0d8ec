import { useSyncExternalStore } from 'react'

const wide = window.matchMedia('(min-width: 64rem)')

/** Returns true if the window is wide enough for two panels: the style breakpoint `lg`. */
export function useWide(): boolean {
  return useSyncExternalStore(
    listener => {
      wide.addEventListener('change', listener)
      return () => wide.removeEventListener('change', listener)
    },
    () => wide.matches,
  )
}
