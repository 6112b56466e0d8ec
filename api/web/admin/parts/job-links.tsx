import { Link } from 'react-router'
import { ForeignText } from '../../ui/text.tsx'

export function ActionLink({ tenantId, actionId }: { tenantId: string; actionId: string }) {
  return (
    <Link
      to={`/tenants/${tenantId}/actions/${actionId}`}
      title={actionId}
      className="inline-block min-h-6 rounded font-mono text-[0.8125rem] leading-6 whitespace-nowrap text-accent underline underline-offset-2"
    >
      …{actionId.slice(-10)}
    </Link>
  )
}

export function TenantLink({ tenantId }: { tenantId: string }) {
  return (
    <Link
      to={`/tenants/${tenantId}`}
      className="inline-block min-h-6 rounded text-accent underline underline-offset-2"
    >
      <ForeignText text={tenantId} />
    </Link>
  )
}

export function OperationName({ system, operation }: { system: string; operation: string }) {
  return (
    <span className="inline-block md:min-w-40">
      <ForeignText text={system} className="text-soft" />
      <span className="text-soft"> · </span>
      <ForeignText text={operation} />
    </span>
  )
}
