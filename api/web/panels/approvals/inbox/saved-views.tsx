import { type FormEvent, useRef, useState } from 'react'
import type { SavedView } from '../../../../../shared/contract/action/inbox-schema.ts'
import { limits } from '../../../../../shared/contract/base/limits.ts'
import { useAct, useCall } from '../../../lib/query.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Choice, Field, TextInput } from '../../../ui/field.tsx'
import { ProblemNote } from '../../../ui/state.tsx'
import { filtersOf, type Narrowed, notNarrowed } from './use-held.ts'

export interface SavedViewsProps {
  value: Narrowed
  onChange(value: Narrowed): void
}

export function SavedViews({ value, onChange }: SavedViewsProps) {
  const { data } = useCall('list_saved_views')
  const act = useAct('replace_saved_views', { stale: ['list_saved_views'] })
  const [naming, setNaming] = useState(false)
  if (!data) return null
  const { views } = data
  const current = views.find(view => isSame(narrowedOf(view), value))
  const isPlain = isSame(value, notNarrowed)
  const save = (changed: readonly SavedView[]) => act.mutateAsync({ body: { views: [...changed] } })
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3">
      <Field label="Saved view" bare className="min-w-32 flex-1">
        <Choice
          options={[
            { value: '', label: isPlain || current ? 'Everything' : 'Not saved' },
            ...views.map(({ name }) => ({ value: name, label: name })),
          ]}
          value={current?.name ?? ''}
          onChoose={name => {
            const view = views.find(one => one.name === name)
            onChange(view ? narrowedOf(view) : notNarrowed)
          }}
        />
      </Field>
      {current ? (
        <Button
          size="small"
          variant="quiet"
          busy={act.isPending}
          onClick={() => void save(views.filter(view => view !== current)).catch(() => undefined)}
        >
          Remove view
        </Button>
      ) : (
        !isPlain && (
          <Button size="small" onClick={() => setNaming(true)}>
            Save view…
          </Button>
        )
      )}
      {act.error && !naming && <ProblemNote error={act.error} className="basis-full" />}
      {naming && (
        <NameView
          views={views}
          busy={act.isPending}
          error={act.error}
          onClose={() => setNaming(false)}
          onName={name => {
            const view = { name, by: value.by || null, filters: filtersOf(value) } as SavedView
            void save([...views.filter(one => one.name !== name), view]).then(
              () => setNaming(false),
              () => undefined,
            )
          }}
        />
      )}
    </div>
  )
}

interface NameViewProps {
  views: readonly SavedView[]
  busy: boolean
  error: Error | null
  onName(name: string): void
  onClose(): void
}

function NameView({ views, busy, error, onName, onClose }: NameViewProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const name = text.trim()
  const replaces = views.some(view => view.name === name)
  const full = views.length >= limits.saved_views_max && !replaces
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (name !== '' && !full) onName(name)
  }
  return (
    <Dialog
      open
      onClose={() => !busy && onClose()}
      title="Save this view"
      description="It is yours alone, whichever application you look at."
      initialFocus={field}
      footer={
        <>
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" form="name-view" variant="primary" busy={busy} disabled={name === '' || full}>
            {replaces ? 'Replace' : 'Save'}
          </Button>
        </>
      }
    >
      <form id="name-view" noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Name"
          error={full ? `You have ${limits.saved_views_max} views: remove one first.` : null}
          hint={replaces ? 'It replaces the view of that name.' : 'As you call it.'}
        >
          <TextInput
            ref={field}
            value={text}
            maxLength={limits.label_length_max}
            onChange={event => setText(event.currentTarget.value)}
          />
        </Field>
        {error && <ProblemNote error={error} />}
      </form>
    </Dialog>
  )
}

function narrowedOf({ by, filters }: SavedView): Narrowed {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  return { ...notNarrowed, ...Object.fromEntries(given), by: by ?? '' }
}

function isSame(one: Narrowed, other: Narrowed): boolean {
  const members = Object.keys(notNarrowed) as (keyof Narrowed)[]
  return members.every(member => one[member].trim() === other[member].trim())
}
