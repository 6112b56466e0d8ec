import { type ReactNode, useId } from 'react'
import type { Answered } from '../../lib/call.ts'
import { useCall } from '../../lib/query.tsx'
import { RadioCard } from '../../ui/radio-card.tsx'
import { Reading } from '../../ui/state.tsx'

type Templates = Answered<'policy_templates'>['templates']

/**
 * Renders the form only after the templates have loaded, because a form without them could send no valid template.
 */
export function WithTemplates({ children }: { children(templates: Templates): ReactNode }) {
  const query = useCall('policy_templates')
  return (
    <Reading query={query} rows={9}>
      {({ templates }) => children(templates)}
    </Reading>
  )
}

export function TemplateChoice({
  templates,
  value,
  onChoose,
}: {
  templates: Templates
  value: string
  onChoose(name: string): void
}) {
  const group = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium">What will your agent do?</legend>
      <p className="mb-2 text-sm text-soft">
        This is the policy you begin with. It runs against mock systems, so nothing real happens yet, and you
        can change every line later.
      </p>
      <div className="flex flex-col gap-2">
        {templates.map(({ name, title, description }) => (
          <RadioCard
            key={name}
            group={group}
            value={name}
            title={title}
            chosen={name === value}
            onChoose={() => onChoose(name)}
            brief
          >
            {codeIn(description)}
          </RadioCard>
        ))}
      </div>
    </fieldset>
  )
}

/** Renders text between backticks as code. */
function codeIn(text: string) {
  let place = 0
  return text.split('`').map(part => {
    place += 1
    return place % 2 === 1 ? (
      part
    ) : (
      <code key={place} className="font-mono text-[0.8125rem]">
        {part}
      </code>
    )
  })
}
