/** The chosen theme. `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark'

const stored = 'action-gate-theme'

export function currentTheme(): Theme {
  const value = window.localStorage.getItem(stored)
  return value === 'light' || value === 'dark' ? value : 'system'
}

export function storeTheme(theme: Theme): void {
  if (theme === 'system') window.localStorage.removeItem(stored)
  else window.localStorage.setItem(stored, theme)
}
