import { type ReactNode, useEffect } from 'react'
import { ShieldAlert } from '../pictures/icons.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

export interface SecretOnceProps {
  secret: string
  /** The name of the secret, such as "Agent key". */
  what: string
  called?: 'key' | 'link' | 'secret'
  /** The instruction for a lost secret. */
  lost?: string
  children?: ReactNode
  onStored(): void
}

/** Shows a secret until the owner confirms having stored it. Leaving the page before that needs a confirmation. */
export function SecretOnce({
  secret,
  what,
  called = 'key',
  lost = 'If it is lost, revoke it and make another.',
  children,
  onStored,
}: SecretOnceProps) {
  useEffect(() => {
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [])
  return (
    <div className="flex flex-col gap-4">
      <p className="flex items-start gap-3 rounded-lg border border-warn/30 bg-warn-wash px-4 py-3 text-sm text-warn">
        <ShieldAlert className="mt-0.5 size-5 shrink-0" aria-hidden />
        <span>
          <strong className="font-semibold">You see this {called} once.</strong>{' '}
          {called !== 'secret' && 'Only a hash of it is kept, so nobody can show it to you again. '}
          {lost}
        </span>
      </p>
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line-strong bg-sunken py-3 pr-3 pl-4">
        <code className="min-w-0 flex-1 basis-60 font-mono text-sm break-all select-all">
          <span className="sr-only">{what}: </span>
          {secret}
        </code>
        <CopyButton text={secret} what={what} />
      </div>
      {children && <div className="text-sm text-soft">{children}</div>}
      <Button variant="primary" className="self-start" onClick={onStored}>
        I have stored it
      </Button>
    </div>
  )
}

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
