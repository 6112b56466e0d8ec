import { useSyncExternalStore } from 'react'
import { currentTheme, storeTheme, type Theme } from './chosen-theme.ts'

export type { Theme }

const dark = window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

export function chooseTheme(theme: Theme): void {
  storeTheme(theme)
  applyTheme()
  for (const listener of listeners) listener()
}

export function useTheme(): Theme {
  return useSyncExternalStore(listener => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentTheme)
}

/** Applies the theme. Runs before the first paint, and after each change by the person or the operating system. */
export function applyTheme(): void {
  const theme = currentTheme()
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme
}

dark.addEventListener('change', applyTheme)
