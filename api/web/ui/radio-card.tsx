import { type ReactNode, useId } from 'react'
import { classes } from './classes.ts'

export interface RadioCardProps {
  /** The name of the radio group, the same for all buttons of one choice. */
  group: string
  value: string
  title: string
  children: ReactNode
  chosen: boolean
  onChoose(): void
  /** True if the text is shortened until the person chooses the card. */
  brief?: boolean
}

export function RadioCard({
  group,
  value,
  title,
  children,
  chosen,
  onChoose,
  brief = false,
}: RadioCardProps) {
  const about = useId()
  return (
    <label
      className={classes(
        'flex cursor-pointer items-start gap-3 rounded-lg border px-4 py-3 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
        chosen ? 'border-accent bg-accent-wash' : 'border-line hover:bg-sunken',
      )}
    >
      <input
        type="radio"
        name={group}
        value={value}
        checked={chosen}
        onChange={onChoose}
        aria-label={title}
        aria-describedby={about}
        className="mt-1 size-4 shrink-0 accent-accent outline-none"
      />
      <span className="min-w-0">
        <span className="font-medium">{title}</span>
        <span
          id={about}
          className={classes('mt-0.5 text-sm text-soft', brief && !chosen ? 'line-clamp-2' : 'block')}
        >
          {children}
        </span>
      </span>
    </label>
  )
}

export interface Offer<Value> {
  value: Value
  title: string
  meaning: string
}

export function RadioCards<Value extends string>({
  legend,
  offers,
  value,
  onChoose,
}: {
  legend: string
  offers: readonly Offer<Value>[]
  value: Value
  onChoose(value: Value): void
}) {
  const group = useId()
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {offers.map(offer => (
          <RadioCard
            key={offer.value}
            group={group}
            value={offer.value}
            title={offer.title}
            chosen={offer.value === value}
            onChoose={() => onChoose(offer.value)}
          >
            {offer.meaning}
          </RadioCard>
        ))}
      </div>
    </fieldset>
  )
}
