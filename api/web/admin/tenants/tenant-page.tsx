import type { ReactNode } from 'react'
import { Navigate, useNavigate, useParams } from 'react-router'
import { Page } from '../../ui/layout/page.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { TenantToolList } from './operator-tools.tsx'
import { TenantActions } from './tenant-actions.tsx'
import { TenantActuators } from './tenant-actuators.tsx'
import { TenantCatalog } from './tenant-catalog.tsx'
import { TenantKeys } from './tenant-keys.tsx'
import { TenantOverview } from './tenant-overview.tsx'
import { TenantPolicy } from './tenant-policy.tsx'
import { TenantStops } from './tenant-stops.tsx'
import { TenantVerification } from './tenant-verification.tsx'

const places = {
  overview: ['Overview', TenantOverview],
  actions: ['Actions', TenantActions],
  keys: ['Keys', TenantKeys],
  policy: ['Policy', TenantPolicy],
  catalog: ['Catalog', TenantCatalog],
  verification: ['Verification', TenantVerification],
  tools: ['Tools', TenantToolList],
  actuators: ['Actuators', TenantActuators],
  stops: ['Freezes and pauses', TenantStops],
} as const satisfies Record<string, readonly [string, (props: { tenantId: string }) => ReactNode]>
type Place = keyof typeof places

/** Shows a tenant. The address names the open tab, so that people can link to it. */
export function TenantPage() {
  const { tenantId = '', tab = 'overview' } = useParams()
  const navigate = useNavigate()
  if (!isPlace(tab)) return <Navigate to={`/tenants/${tenantId}`} replace />
  const tabs = Object.entries(places).map(
    ([name, [label, Panel]]): Tab<Place> => ({
      name: name as Place,
      label,
      panel: name === tab ? <Panel tenantId={tenantId} /> : null,
    }),
  )
  return (
    <Page key={tenantId} title={tenantId} trail={[{ to: '/tenants', label: 'Tenants' }]}>
      <Tabs
        tabs={tabs}
        value={tab}
        onChoose={name => void navigate(`/tenants/${tenantId}${name === 'overview' ? '' : `/${name}`}`)}
      />
    </Page>
  )
}

function isPlace(tab: string): tab is Place {
  return Object.hasOwn(places, tab)
}
