import { limits } from '../../../../shared/contract/base/limits.ts'

/** A hint about how hard a password is to guess. Only the service decides if it accepts the password. */
export interface PasswordStrength {
  /** A level from 0 (too short or too long) to 4 (very good). */
  level: 0 | 1 | 2 | 3 | 4
  words: string
}

const runs = 'abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl zxcvbnm'

/** Rates a password mostly by its length. Repetitions, sequences and parts of the e-mail address count little. */
export function passwordStrength(password: string, email: string): PasswordStrength {
  const length = [...password].length
  const missing = limits.password_length_min - length
  if (missing > 0) return { level: 0, words: `${missing} more ${missing === 1 ? 'character' : 'characters'}` }
  if (length > limits.password_length_max) return { level: 0, words: 'Too long: 200 characters at most' }
  const weight = weightOf(password.toLowerCase(), email.toLowerCase())
  if (weight < 8) return { level: 1, words: 'Easy to guess: try something less regular' }
  if (weight < 14) return { level: 2, words: 'Fair: a few more words make it much better' }
  return weight < 20 ? { level: 3, words: 'Good' } : { level: 4, words: 'Very good' }
}

function weightOf(password: string, email: string): number {
  const [local = ''] = email.split('@')
  const own = local.length < 4 ? password : password.replaceAll(email, '').replaceAll(local, '')
  const characters = [...own]
  const surprising = characters.filter((character, at) => {
    const pair = `${characters[at - 1] ?? ''}${character}`
    return at === 0 || !(character === characters[at - 1] || isNeighbour(pair))
  })
  return Math.min(surprising.length, new Set(surprising).size * 2)
}

function isNeighbour(pair: string): boolean {
  return runs.includes(pair) || runs.includes([...pair].reverse().join(''))
}
