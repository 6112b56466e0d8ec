import type { OwnedTenant } from '../../../../shared/contract/account.ts'
import type { Grants, MemberRole } from '../../../../shared/contract/role-schema.ts'
import { rolesInOrder, roleWords } from '../../lib/session/roles.ts'
import { ForeignText } from '../../ui/text.tsx'

export function GrantsFields({
  value,
  tenants,
  onChange,
}: {
  value: Grants
  tenants: readonly OwnedTenant[]
  onChange(value: Grants): void
}) {
  const has = (tenantId: string, role: MemberRole) =>
    value.roles.some(one => one.tenant_id === tenantId && one.role === role)
  const toggle = (tenant_id: string, role: MemberRole): void => {
    const others = value.roles.filter(one => one.tenant_id !== tenant_id || one.role !== role)
    const roles = has(tenant_id, role) ? others : [...others, { tenant_id, role }]
    onChange({ ...value, roles })
  }
  return (
    <div className="flex flex-col gap-5">
      <Check
        label="Owner of the organization"
        about="every role in every application, and its members"
        checked={value.owner}
        onToggle={() => onChange({ ...value, owner: !value.owner })}
      />
      {!value.owner &&
        tenants.map(({ tenant_id, name }) => (
          <fieldset key={tenant_id} className="flex flex-col gap-2">
            <legend className="mb-2 text-sm font-medium">
              In <ForeignText text={name} />
            </legend>
            {rolesInOrder.map(role => (
              <Check
                key={role}
                {...roleWords[role]}
                checked={has(tenant_id, role)}
                onToggle={() => toggle(tenant_id, role)}
              />
            ))}
          </fieldset>
        ))}
    </div>
  )
}

function Check({
  label,
  about,
  checked,
  onToggle,
}: {
  label: string
  about: string
  checked: boolean
  onToggle(): void
}) {
  return (
    <label className="flex cursor-pointer items-start gap-3">
      <input
        type="checkbox"
        checked={checked}
        onChange={onToggle}
        className="mt-1 size-4 shrink-0 accent-(--accent)"
      />
      <span>
        <span className="font-medium">{label}</span>
        <span className="text-sm text-soft">: {about}</span>
      </span>
    </label>
  )
}
