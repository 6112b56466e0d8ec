import { useState } from 'react'
import type { SignInWays } from '../../../../shared/contract/identity.ts'
import { call } from '../../lib/call.ts'
import { Button } from '../../ui/button.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { RefusalNote, useRefusals } from '../parts/refusal.tsx'

/**
 * The storage key of the path to open after sign-in. The path stays in this browser, so that no link can set it.
 */
const place = 'action-gate-back'

export function keepBack(path: string): void {
  window.sessionStorage.setItem(place, path)
}

/** Returns the stored path and deletes it from the storage. Returns `/` if the path would leave this site. */
export function takeBack(): string {
  const back = window.sessionStorage.getItem(place) ?? '/'
  window.sessionStorage.removeItem(place)
  return isOwnPath(back) ? back : '/'
}

/** Returns true for a path of this site. A path with two leading slashes would lead to another host. */
export function isOwnPath(path: string): boolean {
  return path.startsWith('/') && !path.startsWith('//')
}

const words = {
  issuer_unavailable: 'This sign-in cannot be reached at the moment. Please try again in a minute.',
}

export interface IssuerButtonsProps {
  issuers: SignInWays['issuers']
  verb: string
  back: string
  /** Returns the name of the new organization when a button is pressed. Null cancels the sign-in. */
  organization?: () => string | null
  invitation?: string
}

export function IssuerButtons({ issuers, verb, back, organization, invitation }: IssuerButtonsProps) {
  const [leaving, setLeaving] = useState<string | null>(null)
  const refusals = useRefusals()
  const leave = async (issuer: string): Promise<void> => {
    const name = organization?.()
    if (name === null) return
    setLeaving(issuer)
    try {
      const body = {
        issuer,
        ...(name === undefined ? {} : { organization: name }),
        ...(invitation === undefined ? {} : { invitation }),
      }
      const { authorization_url } = await call('begin_sign_in', { body })
      keepBack(back)
      window.location.assign(authorization_url)
    } catch (refused) {
      refusals.tell(refused as Error)
      setLeaving(null)
    }
  }
  return (
    <div className="flex flex-col gap-3">
      {issuers.map(({ name, title }) => (
        <Button
          key={name}
          busy={leaving === name}
          disabled={refusals.secondsLeft > 0 || (leaving !== null && leaving !== name)}
          onClick={() => void leave(name)}
          className="w-full"
        >
          <span>
            {verb} <ForeignText text={title} />
          </span>
        </Button>
      ))}
      <RefusalNote refusals={refusals} words={words} />
    </div>
  )
}

export function OrDivider() {
  return (
    <p className="my-5 flex items-center gap-3 text-sm text-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      or
    </p>
  )
}
