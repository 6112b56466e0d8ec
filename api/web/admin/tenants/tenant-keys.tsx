import { useState } from 'react'
import type { ApiKey } from '../../../../shared/contract/configuration/tenant.ts'
import { usePages } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { KeyTable } from '../../panels/keys/key-table.tsx'
import { KeyRound, Plus } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { MintTenantKey } from './mint-tenant-key.tsx'
import { RevokeTenantKey } from './revoke-tenant-key.tsx'

export function TenantKeys({ tenantId }: { tenantId: string }) {
  const may = useMay()
  const keys = usePages('list_keys', { params: { tenant_id: tenantId }, query: { limit: '50' } })
  const [minting, setMinting] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  return (
    <Card
      title="API keys"
      hint="Agents propose, approvers decide"
      padded={false}
      actions={
        may('mint_key') && (
          <Button variant="primary" size="small" onClick={() => setMinting(true)}>
            <Plus className="size-4" aria-hidden /> New key
          </Button>
        )
      }
    >
      <Reading query={keys} rows={5}>
        {({ pages }) => {
          const found = pages.flatMap(page => page.api_keys)
          if (found.length === 0) return <Empty icon={KeyRound} title="No key yet" />
          return <KeyTable keys={found} onRevoke={may('revoke_key') ? setRevoking : null} />
        }}
      </Reading>
      <LoadMore pages={keys} what="keys" />
      <MintTenantKey tenantId={tenantId} open={minting} onClose={() => setMinting(false)} />
      <RevokeTenantKey tenantId={tenantId} revoking={revoking} onClose={() => setRevoking(null)} />
    </Card>
  )
}
