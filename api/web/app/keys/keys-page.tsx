import { type ReactNode, useState } from 'react'
import { useParams } from 'react-router'
import type { ApiKey } from '../../../../shared/contract/configuration/tenant.ts'
import { usePages } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { KeyTable } from '../../panels/keys/key-table.tsx'
import { KeyRound, Plus } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { MintKey } from './mint-key.tsx'
import { RevokeKey } from './revoke-key.tsx'

export function KeysPage() {
  const { tenantId = '' } = useParams()
  const [minting, setMinting] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  const may = useMay()
  const mint = may('mint_owned_key') && (
    <Button variant="primary" onClick={() => setMinting(true)}>
      <Plus className="size-4" aria-hidden /> New key
    </Button>
  )
  return (
    <Page
      title="API keys"
      lead="Programs use a key to reach this application. A key’s secret is shown once, when it is made."
      actions={mint}
    >
      <Keys tenantId={tenantId} mint={mint} onRevoke={may('revoke_owned_key') ? setRevoking : null} />
      <aside aria-label="About scopes" className="mt-4 grid gap-4 sm:grid-cols-2">
        <About title="Agent keys propose">
          They submit proposals and follow what became of them. They cannot approve anything, and they never
          touch the target system.
        </About>
        <About title="Approver keys decide">
          They see what is held and approve or reject it. Keep them away from wherever your agent runs: an
          agent that holds one could approve its own proposals.
        </About>
        <About title="Other keys carry a role">
          A program that is a policy author, an auditor or an operator may do what a member with that role
          may, and nothing else.
        </About>
      </aside>
      <MintKey tenantId={tenantId} open={minting} onClose={() => setMinting(false)} />
      <RevokeKey tenantId={tenantId} revoking={revoking} onClose={() => setRevoking(null)} />
    </Page>
  )
}

function Keys({
  tenantId,
  mint,
  onRevoke,
}: {
  tenantId: string
  mint: ReactNode
  onRevoke: ((key: ApiKey) => void) | null
}) {
  const pages = usePages('list_owned_keys', { params: { tenant_id: tenantId }, query: { limit: '50' } })
  const keys = pages.data?.pages.flatMap(page => page.api_keys)
  return (
    <Card padded={false}>
      <Reading query={{ data: keys, error: pages.error, refetch: pages.refetch }} rows={5}>
        {rows =>
          rows.length === 0 ? (
            <Empty icon={KeyRound} title="No keys">
              <p className="mb-4">Without a key no agent can propose anything.</p>
              {mint}
            </Empty>
          ) : (
            <KeyTable keys={rows} onRevoke={onRevoke} />
          )
        }
      </Reading>
      <LoadMore pages={pages} what="keys" />
    </Card>
  )
}

function About({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="rounded-xl border border-line px-5 py-4">
      <h2 className="text-sm font-semibold">{title}</h2>
      <p className="mt-1 text-sm text-soft">{children}</p>
    </section>
  )
}
