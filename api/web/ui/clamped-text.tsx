import { useState } from 'react'
import { formatNumber } from '../lib/format.ts'
import { classes } from './classes.ts'
import { ForeignText } from './text.tsx'

export function ClampedText({
  text,
  limit = 600,
  className,
}: {
  text: string
  limit?: number
  className?: string
}) {
  const [all, setAll] = useState(false)
  const characters = [...text]
  const long = characters.length > limit * 1.25
  return (
    <>
      <ForeignText
        text={long && !all ? `${characters.slice(0, limit).join('')}…` : text}
        className={classes('whitespace-pre-wrap', className)}
      />
      {long && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className="ml-1 min-h-6 rounded font-sans text-sm font-medium text-accent underline underline-offset-2"
        >
          {all ? 'Show less' : `Show all ${formatNumber(characters.length)} characters`}
        </button>
      )}
    </>
  )
}
