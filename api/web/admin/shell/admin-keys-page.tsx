import { useState } from 'react'
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
import { MintAdminKey } from './mint-admin-key.tsx'
import { RevokeAdminKey } from './revoke-admin-key.tsx'

export function AdminKeysPage() {
  const may = useMay()
  const keys = usePages('list_admin_keys', { query: { limit: '50' } })
  const [minting, setMinting] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  return (
    <Page
      title="Admin keys"
      lead="An admin key may change everything here, and an on-call key reads. Give one to each operator, and let it end."
      actions={
        may('mint_admin_key') && (
          <Button variant="primary" onClick={() => setMinting(true)}>
            <Plus className="size-4" aria-hidden /> New admin key
          </Button>
        )
      }
    >
      <Card padded={false}>
        <Reading query={keys} rows={5}>
          {({ pages }) => {
            const found = pages.flatMap(page => page.api_keys)
            if (found.length === 0) return <Empty icon={KeyRound} title="No key" />
            return <KeyTable keys={found} onRevoke={may('revoke_admin_key') ? setRevoking : null} />
          }}
        </Reading>
        <LoadMore pages={keys} what="keys" />
      </Card>
      <MintAdminKey open={minting} onClose={() => setMinting(false)} />
      <RevokeAdminKey revoking={revoking} onClose={() => setRevoking(null)} />
    </Page>
  )
}
