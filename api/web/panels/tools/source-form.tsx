import { type FormEvent, useId } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field, TextArea, TextInput } from '../../ui/field.tsx'
import { RadioCard } from '../../ui/radio-card.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { isServer, type SourceDraft, type SourceKind } from './tool-source.ts'

const kinds: Readonly<Record<SourceKind, { title: string; about: string }>> = {
  openapi_url: {
    title: 'OpenAPI document at an address',
    about: 'The service fetches it once, within its egress rules.',
  },
  openapi: {
    title: 'OpenAPI document as text',
    about: 'Paste JSON or YAML, version 3.0 or 3.1.',
  },
  mcp: {
    title: 'MCP server',
    about: 'The service lists its tools by Streamable HTTP.',
  },
}

export interface SourceFormProps {
  draft: SourceDraft
  onChange(draft: SourceDraft): void
  onSubmit(): void
  busy: boolean
  error: Error | null
  /** True if the tool is registered, so that the name of its system cannot change. */
  fixed: boolean
}

export function SourceForm({ draft, onChange, onSubmit, busy, error, fixed }: SourceFormProps) {
  const group = useId()
  const change = (part: Partial<SourceDraft>): void => onChange({ ...draft, ...part })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Card title="Where the tool describes itself" hint="Nothing is stored before you apply it.">
      <form onSubmit={submit} className="flex flex-col gap-5">
        <fieldset className="grid gap-3 md:grid-cols-3">
          <legend className="sr-only">Kind of source</legend>
          {Object.entries(kinds).map(([kind, { title, about }]) => (
            <RadioCard
              key={kind}
              group={group}
              value={kind}
              title={title}
              chosen={draft.kind === kind}
              onChoose={() => change({ kind: kind as SourceKind, text: '' })}
            >
              {about}
            </RadioCard>
          ))}
        </fieldset>
        <SourceText draft={draft} onText={text => change({ text })} />
        <div className="grid gap-5 md:grid-cols-2">
          <Field label="Name of the system" hint="Left empty, it is made of the title.">
            <TextInput
              value={draft.system}
              disabled={fixed}
              maxLength={128}
              onChange={event => change({ system: event.currentTarget.value })}
            />
          </Field>
          {isServer[draft.kind] && (
            <Field
              label="Bearer token"
              hint="Where the server asks for one. It is stored sealed once you apply."
            >
              <TextInput
                type="password"
                autoComplete="off"
                maxLength={limits.secret_length_max}
                value={draft.bearer}
                onChange={event => change({ bearer: event.currentTarget.value })}
              />
            </Field>
          )}
          {!isServer[draft.kind] && (
            <Field label="Address of the API" hint="Left empty, it is the one that the document says.">
              <TextInput
                type="url"
                value={draft.base_url}
                onChange={event => change({ base_url: event.currentTarget.value })}
              />
            </Field>
          )}
        </div>
        {error && <ProblemNote error={error} />}
        <div className="flex justify-end">
          <Button type="submit" variant="primary" busy={busy}>
            Look at it
          </Button>
        </div>
      </form>
    </Card>
  )
}

function SourceText({ draft: { kind, text }, onText }: { draft: SourceDraft; onText(text: string): void }) {
  if (kind === 'openapi')
    return (
      <Field label="Document">
        <TextArea
          required
          rows={12}
          spellCheck={false}
          className="font-mono text-sm"
          value={text}
          onChange={event => onText(event.currentTarget.value)}
        />
      </Field>
    )
  return (
    <Field label={isServer[kind] ? 'Address of the server' : 'Address of the document'}>
      <TextInput
        required
        type="url"
        placeholder={isServer[kind] ? 'https://example.com/mcp' : 'https://example.com/openapi.json'}
        value={text}
        onChange={event => onText(event.currentTarget.value)}
      />
    </Field>
  )
}
