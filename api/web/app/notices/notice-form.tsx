import { type FormEvent, useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type {
  MessageFormat,
  MessageType,
  Webhook,
  WebhookRequest,
} from '../../../../shared/contract/webhook.ts'
import { useAct } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { useSay } from '../../ui/toast.tsx'
import {
  eventWords,
  formatWords,
  mailAddress,
  minutesText,
  type NoticeEvent,
  readMinutes,
} from './notice-words.ts'

interface Draft {
  format: MessageFormat
  place: string
  events: ReadonlySet<MessageType>
  minutes: string
  tellsValues: boolean
  enabled: boolean
  description: string
}

const formats = (['email', 'slack', 'teams', 'signed'] as const).map(value => ({
  value,
  label: formatWords[value],
}))
const events = Object.entries(eventWords) as [NoticeEvent, string][]

const places: Readonly<Record<MessageFormat, { label: string; hint: string }>> = {
  email: { label: 'E-mail address', hint: 'Of one person or of a list.' },
  slack: { label: 'Webhook URL of Slack', hint: 'Of an app with Incoming Webhooks. It is kept sealed.' },
  teams: { label: 'Webhook URL of Teams', hint: 'Of a workflow that posts to a channel. It is kept sealed.' },
  signed: { label: 'URL', hint: 'It begins with https. Its signing secret is shown once.' },
}

/** Creates or changes a notice. `onDone` receives the secret of a new notice that is signed. */
export function NoticeForm({
  tenantId,
  notice,
  onDone,
}: {
  tenantId: string
  notice: Webhook | null
  onDone(secret: string | null): void
}) {
  const [draft, setDraft] = useState(() => draftOf(notice))
  const change = (changed: Partial<Draft>): void => setDraft({ ...draft, ...changed })
  const { send, busy, error } = useSave(tenantId, notice, onDone)
  const reminders = readMinutes(draft.minutes)
  const isNothing = draft.events.size === 0 && reminders?.length === 0
  const save = (event: FormEvent): void => {
    event.preventDefault()
    if (reminders !== null && !isNothing) send(requestOf(draft, reminders))
  }
  return (
    <form
      onSubmit={save}
      aria-label={notice ? 'Change notice' : 'New notice'}
      className="mb-4 flex flex-col gap-4 border-b border-line pb-4"
    >
      <Where draft={draft} isNew={notice === null} onChange={change} />
      <What draft={draft} onChange={change} />
      <Field
        label="Remind while it waits, after minutes"
        hint={`Up to ${limits.webhook_reminders_max} times with commas between, such as 60, 240. Empty: no reminder.`}
        error={reminders === null ? 'Write numbers with commas between.' : null}
      >
        <TextInput value={draft.minutes} onChange={event => change({ minutes: event.currentTarget.value })} />
      </Field>
      <Field label="Note" hint="For whoever reads this list.">
        <TextInput
          value={draft.description}
          maxLength={limits.webhook_description_length_max}
          onChange={event => change({ description: event.currentTarget.value })}
        />
      </Field>
      {isNothing && <p className="text-sm text-soft">Choose at least one event or one reminder.</p>}
      {error && <ProblemNote error={error} />}
      <span className="flex gap-2">
        <Button type="submit" variant="primary" busy={busy} disabled={reminders === null || isNothing}>
          Save notice
        </Button>
        <Button onClick={() => onDone(null)}>Cancel</Button>
      </span>
    </form>
  )
}

function useSave(tenantId: string, notice: Webhook | null, onDone: (secret: string | null) => void) {
  const say = useSay()
  const stale = { stale: ['list_owned_webhooks'] } as const
  const create = useAct('create_owned_webhook', stale)
  const replace = useAct('replace_owned_webhook', stale)
  const done = (secret: string | null): void => {
    say({ title: 'The notice is saved', tone: 'good' })
    onDone(secret)
  }
  const send = (body: ReturnType<typeof requestOf>): void => {
    if (notice === null) {
      const onSuccess = ({ webhook, secret }: { webhook: Webhook; secret: string }): void =>
        done(webhook.format === 'signed' ? secret : null)
      create.mutate({ params: { tenant_id: tenantId }, body }, { onSuccess })
    } else {
      const params = { tenant_id: tenantId, webhook_id: notice.webhook_id }
      replace.mutate({ params, body }, { onSuccess: () => done(null) })
    }
  }
  return { send, busy: create.isPending || replace.isPending, error: create.error ?? replace.error }
}

/** Edits the format and the address of a notice. The format of an existing notice cannot be changed. */
function Where({
  draft: { format, place },
  isNew,
  onChange,
}: {
  draft: Draft
  isNew: boolean
  onChange(changed: Partial<Draft>): void
}) {
  const { label, hint } = places[format]
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="How">
        <Choice
          value={format}
          options={formats}
          disabled={!isNew}
          onChoose={chosen => onChange({ format: chosen, place: '' })}
        />
      </Field>
      <Field label={label} hint={hint}>
        <TextInput
          required
          type={format === 'email' ? 'email' : 'url'}
          value={place}
          onChange={event => onChange({ place: event.currentTarget.value })}
        />
      </Field>
    </div>
  )
}

function What({
  draft: { events: chosen, format, tellsValues, enabled },
  onChange,
}: {
  draft: Draft
  onChange(changed: Partial<Draft>): void
}) {
  const toggle = (type: MessageType): void => {
    const next = new Set(chosen)
    if (!next.delete(type)) next.add(type)
    onChange({ events: next })
  }
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">When</legend>
      {events.map(([type, words]) => (
        <Check key={type} label={words} checked={chosen.has(type)} onToggle={() => toggle(type)} />
      ))}
      {format !== 'signed' && (
        <Check
          label="Say the amount and the target"
          checked={tellsValues}
          onToggle={() => onChange({ tellsValues: !tellsValues })}
        />
      )}
      <Check label="The notice is on" checked={enabled} onToggle={() => onChange({ enabled: !enabled })} />
    </fieldset>
  )
}

function Check({ label, checked, onToggle }: { label: string; checked: boolean; onToggle(): void }) {
  return (
    <label className="flex min-h-6 items-center gap-2 text-sm">
      <input type="checkbox" className="size-4" checked={checked} onChange={onToggle} />
      {label}
    </label>
  )
}

function draftOf(notice: Webhook | null): Draft {
  if (notice === null)
    return {
      format: 'email',
      place: '',
      events: new Set(['action.pending_approval']),
      minutes: '',
      tellsValues: true,
      enabled: true,
      description: '',
    }
  const { format, url, event_types, remind_after_ms, tells_values, enabled, description } = notice
  return {
    format,
    place: format === 'email' ? mailAddress(url) : url,
    events: new Set(event_types.filter(type => type !== 'action.reminder')),
    minutes: minutesText(remind_after_ms),
    tellsValues: tells_values,
    enabled,
    description: description ?? '',
  }
}

function requestOf(
  { format, place, events: chosen, tellsValues, enabled, description }: Draft,
  reminders: number[],
): WebhookRequest {
  return {
    format,
    url: format === 'email' ? `mailto:${place}` : place,
    event_types: [...chosen, ...(reminders.length > 0 ? (['action.reminder'] as const) : [])],
    remind_after_ms: reminders,
    tells_values: tellsValues,
    enabled,
    description: description === '' ? null : description,
  }
}
