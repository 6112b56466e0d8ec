import { passwordStrength } from '../../lib/session/password-strength.ts'
import { classes } from '../../ui/classes.ts'

const tones = ['bg-line-strong', 'bg-bad', 'bg-warn', 'bg-good', 'bg-good'] as const

export function StrengthHint({ password, email }: { password: string; email: string }) {
  const { level, words } = passwordStrength(password, email)
  const empty = password === ''
  return (
    <span className="block">
      <span className="mb-1.5 grid grid-cols-4 gap-1" aria-hidden>
        {([1, 2, 3, 4] as const).map(step => (
          <span
            key={step}
            className={classes('h-1 rounded-full', !empty && step <= level ? tones[level] : 'bg-line')}
          />
        ))}
      </span>
      <span aria-live="polite">{empty ? 'At least 12 characters.' : `${words}.`}</span>{' '}
      {level < 3 && 'Four unrelated words are easy to remember and hard to guess.'}
    </span>
  )
}
