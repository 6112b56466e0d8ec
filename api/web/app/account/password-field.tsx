import { type KeyboardEvent, type ReactNode, type RefObject, useState } from 'react'
import { Eye, EyeOff } from '../../pictures/icons.ts'
import { Field, TextInput } from '../../ui/field.tsx'

export interface PasswordFieldProps {
  value: string
  onChange(value: string): void
  autoComplete: 'current-password' | 'new-password'
  autoFocus?: boolean
  inputRef?: RefObject<HTMLInputElement | null>
  hint?: ReactNode
  error?: string | null
}

export function PasswordField({ value, onChange, hint, error, inputRef, ...rest }: PasswordFieldProps) {
  const [shown, setShown] = useState(false)
  const [capsLock, setCapsLock] = useState(false)
  const Icon = shown ? EyeOff : Eye
  const look = (event: KeyboardEvent): void => setCapsLock(event.getModifierState('CapsLock'))
  return (
    <Field label="Password" hint={hint} error={error}>
      <div className="relative">
        <TextInput
          {...rest}
          {...(inputRef ? { ref: inputRef } : {})}
          type={shown ? 'text' : 'password'}
          name="password"
          required
          spellCheck={false}
          autoCapitalize="off"
          value={value}
          onChange={event => onChange(event.currentTarget.value)}
          onKeyDown={look}
          onKeyUp={look}
          onBlur={() => setCapsLock(false)}
          className="pr-11"
        />
        <button
          type="button"
          aria-label="Show password"
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
          className="absolute inset-y-1 right-1 grid w-9 place-items-center rounded-md text-soft hover:bg-sunken hover:text-ink"
        >
          <Icon className="size-4" aria-hidden />
        </button>
      </div>
      <p role="status" className="text-sm text-warn empty:hidden">
        {capsLock ? 'Caps Lock is on.' : ''}
      </p>
    </Field>
  )
}
