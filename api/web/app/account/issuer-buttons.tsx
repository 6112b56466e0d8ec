import { useState } from 'react'
import type { SignInWays } from '../../../../shared/contract/identity.ts'
import { call } from '../../lib/call.ts'
import { Button } from '../../ui/button.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { RefusalNote, useRefusals } from '../parts/refusal.tsx'

/** Where this tab goes on after the issuer: it never leaves the browser, so that no link can set it. */
const place = 'action-gate-back'

/** Remember for this tab where it goes on. */
export function keepBack(path: string): void {
  window.sessionStorage.setItem(place, path)
}

/** The path that this tab was to go to, once. */
export function takeBack(): string {
  const back = window.sessionStorage.getItem(place) ?? '/'
  window.sessionStorage.removeItem(place)
  return isOwnPath(back) ? back : '/'
}

/** Whether a path leads to a page of ours: two slashes would be another host. */
export function isOwnPath(path: string): boolean {
  return path.startsWith('/') && !path.startsWith('//')
}

const words = {
  issuer_unavailable: 'This sign-in cannot be reached at the moment. Please try again in a minute.',
}

export interface IssuerButtonsProps {
  issuers: SignInWays['issuers']
  /** What stands before the title of each. */
  verb: string
  back: string
  /** A name for the organization of who is new; asked for when a button is pressed. */
  organization?: () => string | null
  /** What is accepted by it. */
  invitation?: string
}

/** One button for each issuer; the browser leaves for it. */
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

/** Between what an issuer offers and what is filled in here. */
export function OrDivider() {
  return (
    <p className="my-5 flex items-center gap-3 text-sm text-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      or
    </p>
  )
}
