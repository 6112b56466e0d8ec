import { chooseTheme, type Theme, useTheme } from '../../lib/theme/theme.ts'
import { Monitor, Moon, Sun } from '../../pictures/icons.ts'
import { classes } from '../classes.ts'

const themes: readonly { value: Theme; label: string; icon: typeof Sun }[] = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'system', label: 'As the system', icon: Monitor },
]

export function ThemeChoice() {
  const theme = useTheme()
  return (
    <fieldset className="inline-flex gap-0.5 rounded-lg bg-sunken p-0.5">
      <legend className="sr-only">Theme</legend>
      {themes.map(({ value, label, icon: Icon }) => (
        <button
          key={value}
          type="button"
          title={label}
          aria-label={label}
          aria-pressed={theme === value}
          onClick={() => chooseTheme(value)}
          className={classes(
            'rounded-md p-1.5',
            theme === value ? 'bg-surface text-ink shadow-card' : 'text-soft hover:text-ink',
          )}
        >
          <Icon className="size-4" aria-hidden />
        </button>
      ))}
    </fieldset>
  )
}
