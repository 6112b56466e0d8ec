import { currentTheme, storeTheme, type Theme } from '../lib/theme/chosen-theme.ts'
import { element } from './element.ts'

const names: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' }

/** Adds the choice of theme, stored where the console and the dashboard find it too. */
export function addThemeChoice(tools: HTMLElement): void {
  const choice = element('select', { 'aria-label': 'Theme' })
  for (const [value, name] of Object.entries(names)) choice.append(element('option', { value }, name))
  choice.value = currentTheme()
  choice.addEventListener('change', () => {
    storeTheme(choice.value as Theme)
    applyTheme()
  })
  applyTheme()
  tools.append(choice)
}

/** Removes the attribute without a choice, because the style sheet follows the system by itself then. */
function applyTheme(): void {
  const theme = currentTheme()
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
}
