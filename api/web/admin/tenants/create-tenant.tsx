import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Answered } from '../../lib/call.ts'
import { keyUses } from '../../lib/policy/key-uses.ts'
import { useAct } from '../../lib/query.tsx'
import { OnceDialog } from '../../panels/keys/once-dialog.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { CreateTenantForm, createTenantForm } from './create-tenant-form.tsx'

type Created = Answered<'create_tenant'>

export function CreateTenant({ open, onClose }: { open: boolean; onClose(): void }) {
  const [created, setCreated] = useState<Created | null>(null)
  const create = useAct('create_tenant', { stale: ['list_tenants'] })
  const navigate = useNavigate()
  const close = (): void => {
    create.reset()
    setCreated(null)
    onClose()
  }
  return (
    <OnceDialog
      open={open}
      onClose={close}
      title={created ? `Tenant ${created.tenant_id} is there` : 'Create a tenant'}
      description={created ? 'This is its first agent key.' : undefined}
      made={created !== null}
      form={{ id: createTenantForm, label: 'Create tenant', busy: create.isPending }}
    >
      {created ? (
        <SecretOnce
          secret={created.api_key}
          what="Agent key"
          onStored={() => {
            close()
            void navigate(`/tenants/${created.tenant_id}`)
          }}
        >
          {keyUses.agent}
        </SecretOnce>
      ) : (
        <CreateTenantForm
          error={create.error}
          onSubmit={body => create.mutate({ body }, { onSuccess: setCreated })}
        />
      )}
    </OnceDialog>
  )
}
