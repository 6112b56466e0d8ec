import { useId } from 'react'
import { useCall } from '../../lib/query.tsx'
import { RadioCard } from '../../ui/radio-card.tsx'
import { ProblemNote, Skeleton } from '../../ui/state.tsx'

/** The templates an application can begin with; the first one until somebody chooses. */
export function useTemplates() {
  const query = useCall('policy_templates')
  return { query, first: query.data?.templates[0]?.name ?? '' }
}

export function TemplateChoice({
  query: { data, error, refetch },
  value,
  onChoose,
}: {
  query: ReturnType<typeof useTemplates>['query']
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
      {error && !data && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton rows={3} className="h-48 px-0" />}
      <div className="flex flex-col gap-2">
        {data?.templates.map(({ name, title, description }) => (
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

/** What stands between backticks is set as code. */
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
