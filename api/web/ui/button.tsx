import { Button as BaseButton } from '@base-ui/react/button'
import type { ComponentProps, ReactNode } from 'react'
import { Link, type LinkProps } from 'react-router'
import { LoaderCircle } from '../pictures/icons.ts'
import { classes } from './classes.ts'

const base =
  'inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors select-none ' +
  'disabled:opacity-55 disabled:cursor-not-allowed aria-disabled:opacity-55'
const sizes = { small: 'h-8 px-3 text-sm', medium: 'h-10 px-4 text-[0.9375rem]', icon: 'size-9' } as const
const variants = {
  primary: 'bg-accent text-accent-ink hover:bg-accent-strong',
  secondary: 'border border-line bg-surface text-ink hover:bg-sunken',
  quiet: 'text-soft hover:bg-sunken hover:text-ink',
  danger: 'border border-bad/40 bg-surface text-bad hover:bg-bad-wash',
} as const

interface Look {
  variant?: keyof typeof variants
  size?: keyof typeof sizes
}

export interface ButtonProps extends Look, Omit<ComponentProps<'button'>, 'className'> {
  busy?: boolean
  className?: string
  children: ReactNode
}

export function Button({
  variant = 'secondary',
  size = 'medium',
  busy = false,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <BaseButton
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      focusableWhenDisabled={busy}
      aria-busy={busy || undefined}
      className={classes(base, sizes[size], variants[variant], className)}
    >
      {busy && <LoaderCircle className="size-4 animate-spin" aria-hidden />}
      {children}
    </BaseButton>
  )
}

export function ButtonLink({ variant = 'secondary', size = 'medium', className, ...rest }: LinkProps & Look) {
  return <Link {...rest} className={classes(base, sizes[size], variants[variant], className as string)} />
}
