import { useSyncExternalStore } from 'react'

/** What a person chose; `system` follows the machine. */
export type Theme = 'system' | 'light' | 'dark'

const stored = 'action-gate-theme'
const dark = window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

export function currentTheme(): Theme {
  const value = window.localStorage.getItem(stored)
  return value === 'light' || value === 'dark' ? value : 'system'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') window.localStorage.removeItem(stored)
  else window.localStorage.setItem(stored, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

export function useTheme(): Theme {
  return useSyncExternalStore(listener => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentTheme)
}

/** Dress the page; called once before it is drawn, and whenever the machine or the person chooses otherwise. */
export function applyTheme(): void {
  const theme = currentTheme()
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme
}

dark.addEventListener('change', applyTheme)
