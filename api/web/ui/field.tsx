import { Field as BaseField } from '@base-ui/react/field'
import type { ComponentProps, ReactNode } from 'react'
import { classes } from './classes.ts'

const control =
  'w-full rounded-lg border border-line-strong bg-surface px-3 text-ink placeholder:text-soft ' +
  'aria-invalid:border-bad focus-visible:outline-offset-0 disabled:opacity-60'

export interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  error?: string | null | undefined
  /** True if only screen readers see the label. */
  bare?: boolean
  className?: string
  children: ReactNode
}

export function Field({ label, hint, error, bare = false, className, children }: FieldProps) {
  return (
    <BaseField.Root invalid={Boolean(error)} className={classes('flex flex-col gap-1.5', className)}>
      <BaseField.Label className={bare ? 'sr-only' : 'text-sm font-medium'}>{label}</BaseField.Label>
      {children}
      {hint && <BaseField.Description className="text-sm text-soft">{hint}</BaseField.Description>}
      <BaseField.Error match={Boolean(error)} className="text-sm text-bad">
        {error}
      </BaseField.Error>
    </BaseField.Root>
  )
}

export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  return <BaseField.Control {...rest} className={classes(control, 'h-10', className)} />
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <BaseField.Control
      render={<textarea {...rest} className={classes(control, 'min-h-20 py-2', className)} />}
    />
  )
}

export interface Option<Value extends string> {
  value: Value
  label: string
}

/** Offers a few values in the browser's own list, because that list works with every input device. */
export function Choice<Value extends string>({
  options,
  value,
  onChoose,
  className,
  ...rest
}: Omit<ComponentProps<'select'>, 'value' | 'onChange'> & {
  options: readonly Option<Value>[]
  value: Value
  onChoose(value: Value): void
}) {
  return (
    <BaseField.Control
      render={
        <select
          {...rest}
          value={value}
          onChange={event => onChoose(event.currentTarget.value as Value)}
          className={classes(control, 'h-10 pr-8', className)}
        >
          {options.map(option => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      }
    />
  )
}
