import { type FormEvent, useId, useState } from 'react'
import type {
  SecretList,
  SecretNeed,
  SecretState,
} from '../../../../shared/contract/configuration/secret-schema.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { ProblemNote, Reading } from '../../ui/state.tsx'
import { useSay } from '../../ui/toast.tsx'
import { useToolPlace } from './tool-place.ts'

const states: Readonly<Record<SecretState, { label: string; tone: Tone }>> = {
  ready: { label: 'ready', tone: 'good' },
  missing: { label: 'missing', tone: 'bad' },
  unconfirmed: { label: 'not confirmed for this address', tone: 'warn' },
  unreadable: { label: 'no worker can open it', tone: 'bad' },
}

export function ToolCredentials({ system }: { system: string }) {
  const { requests, params } = useToolPlace()
  const query = useCall(requests.secrets, { params })
  const [setting, setSetting] = useState<SecretNeed | null>(null)
  return (
    <Card
      title="Credentials"
      hint="Stored sealed: workers alone can open them, and nothing reads them back."
      padded={false}
    >
      <Reading query={query} rows={2}>
        {secrets => <Needs {...{ system, secrets }} onSet={setSetting} />}
      </Reading>
      <SetSecret need={setting} onClose={() => setSetting(null)} />
    </Card>
  )
}

function Needs({
  system,
  secrets,
  onSet,
}: {
  system: string
  secrets: SecretList
  onSet(need: SecretNeed): void
}) {
  const { requests } = useToolPlace()
  const may = useMay()
  const needs = secrets.needs.filter(({ actuator }) => actuator === system)
  if (needs.length === 0) return <p className="p-5 text-soft">It is called without credentials.</p>
  return (
    <ul className="divide-y divide-line">
      {needs.map(need => (
        <li
          key={need.source + need.name + need.path}
          className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-5 py-3"
        >
          <div className="min-w-0">
            <p className="font-mono text-sm break-all">{need.name}</p>
            {need.message && <p className="text-sm text-soft">{need.message}</p>}
            {need.source === 'workers' && (
              <p className="text-sm text-soft">A variable of the workers: whoever runs them sets it.</p>
            )}
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <Badge tone={states[need.state].tone}>{states[need.state].label}</Badge>
            {need.source === 'tenant' && secrets.can_write && may(requests.put_secret) && (
              <Button size="small" onClick={() => onSet(need)}>
                {need.state === 'missing' ? 'Set' : 'Replace'}
              </Button>
            )}
            {may(requests.confirm_secret) && <ConfirmPlaces {...{ secrets, need }} />}
          </div>
        </li>
      ))}
    </ul>
  )
}

/**
 * Asks a person to confirm a secret after the address of its tool changed, because the secret would go to a new
 * server.
 */
function ConfirmPlaces({ secrets, need }: { secrets: SecretList; need: SecretNeed }) {
  const { requests, params } = useToolPlace()
  const confirm = useAct(requests.confirm_secret, { stale: [requests.secrets] })
  const say = useSay()
  const stored = secrets.secrets.find(({ name }) => name === need.name)
  if (need.state !== 'unconfirmed' || !stored) return null
  const body = { version: stored.version, bound_to: need.places }
  return (
    <>
      <Button
        size="small"
        busy={confirm.isPending}
        onClick={() =>
          confirm.mutate(
            { params: { ...params, name: need.name }, body },
            { onSuccess: () => say({ title: `${need.name} may go there`, tone: 'good' }) },
          )
        }
      >
        Confirm for {need.places.join(', ')}
      </Button>
      {confirm.error && <ProblemNote error={confirm.error} />}
    </>
  )
}

function SetSecret({ need, onClose }: { need: SecretNeed | null; onClose(): void }) {
  const { requests, params } = useToolPlace()
  const form = useId()
  const [value, setValue] = useState('')
  const put = useAct(requests.put_secret, { stale: [requests.secrets] })
  const say = useSay()
  const close = (): void => {
    setValue('')
    put.reset()
    onClose()
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!need) return
    put.mutate(
      { params: { ...params, name: need.name }, body: { actuator: need.actuator, value } },
      {
        onSuccess: () => {
          say({ title: `${need.name} is stored`, tone: 'good' })
          close()
        },
      },
    )
  }
  return (
    <Dialog
      open={need !== null}
      onClose={close}
      dismissible={!put.isPending}
      title={`Set ${need?.name ?? ''}`}
      description="Calls that begin after this use it."
      footer={
        <>
          <Button disabled={put.isPending} onClick={close}>
            Cancel
          </Button>
          <Button type="submit" form={form} variant="primary" busy={put.isPending}>
            Store
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Value" hint={need ? `It may go to ${need.places.join(', ')} alone.` : undefined}>
          <TextInput
            required
            type="password"
            autoComplete="off"
            value={value}
            onChange={event => setValue(event.currentTarget.value)}
          />
        </Field>
        {put.error && <ProblemNote error={put.error} />}
      </form>
    </Dialog>
  )
}
