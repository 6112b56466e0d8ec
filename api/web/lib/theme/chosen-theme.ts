/** What a person chose; `system` follows the machine. */
export type Theme = 'system' | 'light' | 'dark'

const stored = 'action-gate-theme'

/** The choice that the pages of one service share. */
export function currentTheme(): Theme {
  const value = window.localStorage.getItem(stored)
  return value === 'light' || value === 'dark' ? value : 'system'
}

export function storeTheme(theme: Theme): void {
  if (theme === 'system') window.localStorage.removeItem(stored)
  else window.localStorage.setItem(stored, theme)
}
