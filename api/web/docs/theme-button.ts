import { currentTheme, storeTheme, type Theme } from '../lib/theme/chosen-theme.ts'
import { element } from './element.ts'

const names: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' }

/** Adds a choice of theme. The console and the dashboard read the same stored choice. */
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

/** Removes the attribute for `system`, because the style sheet then follows the operating system. */
function applyTheme(): void {
  const theme = currentTheme()
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
}
