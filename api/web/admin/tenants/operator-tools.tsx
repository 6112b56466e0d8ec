import { useMemo } from 'react'
import { Outlet, useParams } from 'react-router'
import { AddToolLink, ToolList } from '../../panels/tools/tool-list.tsx'
import { type ToolPlace, ToolPlaceProvider } from '../../panels/tools/tool-place.ts'

export function TenantToolList({ tenantId }: { tenantId: string }) {
  const place = useMemo(() => operatorsPlace(tenantId), [tenantId])
  return (
    <ToolPlaceProvider value={place}>
      <div className="mb-4 flex justify-end">
        <AddToolLink />
      </div>
      <ToolList />
    </ToolPlaceProvider>
  )
}

export function OperatorTools() {
  const { tenantId = '' } = useParams()
  const place = useMemo(() => operatorsPlace(tenantId), [tenantId])
  return (
    <ToolPlaceProvider value={place}>
      <Outlet key={tenantId} />
    </ToolPlaceProvider>
  )
}

function operatorsPlace(tenantId: string): ToolPlace {
  return {
    requests: {
      list: 'list_tools',
      read: 'read_tool',
      health: 'read_tool_health',
      look: 'import_tool',
      change: 'change_tool',
      remove: 'remove_tool',
      test: 'test_tool',
      secrets: 'list_secrets',
      put_secret: 'put_secret',
      confirm_secret: 'confirm_secret',
      freezes: 'read_freezes',
      pause: 'pause',
      resume: 'resume',
      freeze: 'freeze',
      unfreeze: 'unfreeze',
    },
    params: { tenant_id: tenantId },
    home: `/tenants/${tenantId}/tools`,
    around: [
      { to: '/tenants', label: 'Tenants' },
      { to: `/tenants/${tenantId}`, label: tenantId },
    ],
  }
}
