import { currentTheme, storeTheme, type Theme } from '../lib/chosen-theme.ts'
import { element } from './element.ts'

const names: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' }

/** A choice of colours, the one that the console and the dashboard remember too. */
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

const machine = window.matchMedia('(prefers-color-scheme: dark)')
machine.addEventListener('change', applyTheme)

/** Without a choice the style sheet follows the machine by itself; Swagger UI takes its dark colours from a class. */
function applyTheme(): void {
  const theme = currentTheme()
  const { dataset, classList } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  classList.toggle('dark-mode', theme === 'system' ? machine.matches : theme === 'dark')
}
