import { useState } from 'react'
import { type Answered, call } from '../../lib/call.ts'
import { useCall } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Reading } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { RefusalNote, useRefusals } from '../parts/refusal.tsx'
import { keepBack } from './issuer-buttons.tsx'

const words = {
  last_identity: 'This is the last way into your account. Please link another one first.',
  issuer_unavailable: 'This sign-in cannot be reached at the moment. Please try again in a minute.',
}

/** Lists the identities linked to the account. Renders nothing without identities and identity providers. */
export function LinkedIdentities() {
  const ways = useCall('read_sign_in')
  const linked = useCall('list_identities')
  const [busy, setBusy] = useState<string | null>(null)
  const refusals = useRefusals()
  const issuers = ways.data?.issuers ?? []
  if (issuers.length === 0 && (linked.data?.identities ?? []).length === 0) return null
  const attempt = async (name: string, act: () => Promise<void>): Promise<void> => {
    setBusy(name)
    refusals.tell(null)
    try {
      await act()
    } catch (refused) {
      refusals.tell(refused as Error)
    }
    setBusy(null)
  }
  const link = (issuer: string) =>
    attempt(issuer, async () => {
      const { authorization_url } = await call('link_identity', { body: { issuer } })
      keepBack('/account')
      window.location.assign(authorization_url)
    })
  const unlink = (identity: { issuer: string; subject: string }) =>
    attempt(`${identity.issuer} ${identity.subject}`, async () => {
      const { issuer, subject } = identity
      await call('unlink_identity', { body: { issuer, subject } })
      await linked.refetch()
    })
  return (
    <Card title="Sign-in elsewhere">
      <Reading query={linked} rows={2}>
        {({ identities }) => (
          <ul className="flex flex-col gap-3 empty:hidden">
            {identities.map(identity => (
              <Linked
                key={`${identity.issuer} ${identity.subject}`}
                identity={identity}
                busy={busy === `${identity.issuer} ${identity.subject}`}
                onEnd={() => void unlink(identity)}
              />
            ))}
          </ul>
        )}
      </Reading>
      <div className="mt-4 flex flex-wrap gap-2">
        {issuers.map(({ name, title }) => (
          <Button key={name} busy={busy === name} onClick={() => void link(name)}>
            <span>
              Link <ForeignText text={title} />
            </span>
          </Button>
        ))}
      </div>
      <p className="mt-3 text-sm text-soft">
        Whoever signs in there opens this account. In approvals you count once, however you sign in. Ending a
        link ends its sessions.
      </p>
      <RefusalNote refusals={refusals} words={words} />
    </Card>
  )
}

function Linked({
  identity: { subject, issuer, created_at },
  busy,
  onEnd,
}: {
  identity: Answered<'list_identities'>['identities'][number]
  busy: boolean
  onEnd(): void
}) {
  return (
    <li className="flex flex-wrap items-center gap-3">
      <span className="min-w-0 flex-1 break-all">
        <ForeignText text={subject} /> at <ForeignText text={issuer} />, linked <Time at={created_at} />
      </span>
      <Button size="small" busy={busy} aria-label={`End the link to ${subject}`} onClick={onEnd}>
        End link
      </Button>
    </li>
  )
}
