import { useMemo } from 'react'
import { Outlet, useParams } from 'react-router'
import { AddToolLink, ToolList } from '../../panels/tools/tool-list.tsx'
import { type ToolPlace, ToolPlaceProvider } from '../../panels/tools/tool-place.ts'
import { Page } from '../../ui/layout/page.tsx'

export function OwnerTools() {
  const { tenantId = '' } = useParams()
  const place = useMemo(() => ownersPlace(tenantId), [tenantId])
  return (
    <ToolPlaceProvider value={place}>
      <Outlet key={tenantId} />
    </ToolPlaceProvider>
  )
}

export function OwnerToolsPage() {
  return (
    <Page
      title="Tools"
      lead="Each tool is a system that the service calls for your agents. The policy decides every call of an agent. It does not decide what you try here yourself."
      actions={<AddToolLink />}
    >
      <ToolList />
    </Page>
  )
}

function ownersPlace(tenantId: string): ToolPlace {
  return {
    requests: {
      list: 'list_owned_tools',
      read: 'read_owned_tool',
      health: 'read_owned_tool_health',
      look: 'import_owned_tool',
      change: 'change_owned_tool',
      remove: 'remove_owned_tool',
      test: 'test_owned_tool',
      secrets: 'list_owned_secrets',
      put_secret: 'put_owned_secret',
      confirm_secret: 'confirm_owned_secret',
      freezes: 'read_owned_freezes',
      pause: 'pause_owned_tenant',
      resume: 'resume_owned_tenant',
      freeze: 'freeze_owned_tenant',
      unfreeze: 'unfreeze_owned_tenant',
    },
    params: { tenant_id: tenantId },
    home: `/a/${tenantId}/tools`,
    around: [],
  }
}
