import type { ReactNode } from 'react'
import type { SessionIdentity } from '../../../../shared/contract/identity.ts'
import { formatExact } from '../../lib/format.ts'
import { useCall } from '../../lib/query.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { ThemeChoice } from '../../ui/layout/theme-choice.tsx'
import { Reading } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { LinkedIdentities } from './linked-identities.tsx'
import { SignOut } from './sign-out.tsx'

function identityFacts(identity: SessionIdentity | null): [string, ReactNode][] {
  if (identity === null) return []
  const { issuer, subject, auth_time, acr } = identity
  return [
    ['Signed in at', <ForeignText key="issuer" text={issuer} />],
    ['Known there as', <ForeignText key="subject" text={subject} />],
    ['Last log-in there', auth_time === null ? 'It did not say when' : <Time key="proved" at={auth_time} />],
    ...(acr === null
      ? []
      : [['Assurance of it (acr)', <ForeignText key="acr" text={acr} />] as [string, ReactNode]]),
  ]
}

export function AccountPage() {
  const session = useCall('read_session')
  return (
    <Page title="Account" lead="Who is signed in here, and for how long.">
      <div className="flex max-w-3xl flex-col gap-4">
        <Card title="You">
          <Reading query={session} rows={4}>
            {({ account, organization }) => (
              <Facts
                facts={[
                  ['E-mail', <ForeignText key="email" text={account.email} />],
                  ['Organization', <ForeignText key="organization" text={organization.name} />],
                  [
                    'Account',
                    <code key="account" className="font-mono text-[0.8125rem] break-all">
                      {account.account_id}
                    </code>,
                  ],
                  ['Member since', <Time key="since" at={account.created_at} />],
                ]}
              />
            )}
          </Reading>
        </Card>
        <Card title="This session">
          <Reading query={session} rows={2}>
            {({ idle_expires_at, expires_at, identity }) => (
              <Facts
                facts={[
                  ...identityFacts(identity),
                  [
                    'Ends if unused',
                    <span key="idle">
                      <Time at={idle_expires_at} />, at {formatExact(idle_expires_at)}; every use moves it on
                    </span>,
                  ],
                  [
                    'Ends in any case',
                    <span key="end">
                      <Time at={expires_at} />, at {formatExact(expires_at)}
                    </span>,
                  ],
                ]}
              />
            )}
          </Reading>
          <SignOut />
        </Card>
        <LinkedIdentities />
        <Card title="Appearance">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-soft">Light, dark, or as your system is set. Kept in this browser.</p>
            <ThemeChoice />
          </div>
        </Card>
      </div>
    </Page>
  )
}
