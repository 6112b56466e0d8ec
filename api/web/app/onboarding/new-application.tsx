import { type ComponentProps, type FormEvent, useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { limits } from '../../../../shared/contract/base/limits.ts'
import { useAct } from '../../lib/query.tsx'
import { holdFreshKey } from '../../lib/session/fresh-keys.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { TemplateChoice, WithTemplates } from './template-choice.tsx'

/** Creates an application from a template, and then opens its page, because that page shows the first key. */
export function NewApplication({ open, onClose }: { open: boolean; onClose(): void }) {
  const form = useId()
  const create = useAct('create_owned_tenant', { stale: ['list_owned_tenants'] })
  return (
    <Dialog
      open={open}
      onClose={onClose}
      dismissible={!create.isPending}
      wide
      title="New application"
      description="It gets its own policy, keys and history. Its first agent key is shown next."
      footer={
        <>
          <Button disabled={create.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} variant="primary" busy={create.isPending}>
            Create application
          </Button>
        </>
      }
    >
      <WithTemplates>
        {templates => <NewApplicationForm id={form} create={create} templates={templates} />}
      </WithTemplates>
    </Dialog>
  )
}

function NewApplicationForm({
  id,
  create,
  templates,
}: {
  id: string
  templates: ComponentProps<typeof TemplateChoice>['templates']
  create: ReturnType<typeof useAct<'create_owned_tenant'>>
}) {
  const [name, setName] = useState('')
  const [template, setTemplate] = useState(templates[0]?.name ?? '')
  const navigate = useNavigate()

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.mutate(
      { body: { name, template } },
      {
        onSuccess: ({ tenant: { tenant_id }, api_key, key }) => {
          holdFreshKey(tenant_id, { name: key.name, secret: api_key, stored: false })
          void navigate(`/a/${tenant_id}`)
        },
      },
    )
  }

  return (
    <form id={id} onSubmit={submit} className="flex flex-col gap-5">
      <Field label="Name" hint="What people call it, such as “Refund assistant”.">
        <TextInput
          required
          autoFocus
          maxLength={limits.label_length_max}
          value={name}
          onChange={event => setName(event.currentTarget.value)}
        />
      </Field>
      <TemplateChoice templates={templates} value={template} onChoose={setTemplate} />
      {create.error && <ProblemNote error={create.error} />}
    </form>
  )
}
