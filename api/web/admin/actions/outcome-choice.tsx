import type { ResolutionRequest } from '../../../../shared/contract/action/action.ts'
import { classes } from '../../ui/classes.ts'

type Outcome = ResolutionRequest['outcome']

const choices: readonly { value: Outcome; label: string; means: string }[] = [
  { value: 'executed', label: 'It was executed', means: 'The effect is there, at the system.' },
  {
    value: 'execution_failed',
    label: 'It was not executed, and cannot be any more',
    means: 'There is no effect, and there never will be one.',
  },
]

export function OutcomeChoice({
  outcome,
  onChoose,
}: {
  outcome: Outcome | null
  onChoose(outcome: Outcome): void
}) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">What became of it</legend>
      {choices.map(({ value, label, means }) => (
        <label
          key={value}
          className={classes(
            'flex cursor-pointer items-start gap-3 rounded-lg border px-4 py-3',
            outcome === value ? 'border-accent bg-accent-wash' : 'border-line-strong hover:bg-sunken',
          )}
        >
          <input
            type="radio"
            name="outcome"
            value={value}
            checked={outcome === value}
            onChange={() => onChoose(value)}
            className="mt-1 size-4 accent-accent"
          />
          <span>
            <span className="block font-medium">{label}</span>
            <span className="block text-sm text-soft">{means}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
