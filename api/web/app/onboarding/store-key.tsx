import type { ReactNode } from 'react'
import { type FreshKey, markKeyStored } from '../../lib/session/fresh-keys.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'

/** Shows the first agent key of an application until the person confirms that it is stored. */
export function StoreKey({ name, ...shown }: { tenantId: string; freshKey: FreshKey; name: ReactNode }) {
  return (
    <Page
      title="Store your agent’s key"
      lead={<>{name} is ready. Your agent needs this key to propose actions.</>}
    >
      <Card className="max-w-2xl">
        <KeyOnce {...shown} />
      </Card>
    </Page>
  )
}

export function KeyOnce({ tenantId, freshKey }: { tenantId: string; freshKey: FreshKey }) {
  return (
    <SecretOnce secret={freshKey.secret} what="Agent key" onStored={() => markKeyStored(tenantId)}>
      Put it where your agent reads its secrets, such as a secret manager or the environment variable{' '}
      <code className="font-mono text-[0.8125rem] text-ink">ACTION_GATE_KEY</code>. It can propose actions and
      follow them; it cannot approve anything.
    </SecretOnce>
  )
}
