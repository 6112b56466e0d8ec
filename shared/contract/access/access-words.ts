import type { OperationAccess } from './access-schema.ts'

export const accessAnswers = ['allowed', 'held', 'denied', 'open'] as const

export const accessLabels: Readonly<Record<OperationAccess['answer'], string>> = {
  allowed: 'allowed',
  held: 'held for a person',
  denied: 'denied',
  open: 'decided call by call',
}

export function accessWords({ message, unavailable }: OperationAccess): string {
  return unavailable ? `${message} ${unavailable.message}` : message
}

export function accessCounts(counts: Readonly<Record<OperationAccess['answer'], number>>): string {
  const told = accessAnswers.filter(answer => counts[answer] > 0)
  return told.map(answer => `${counts[answer]} ${accessLabels[answer]}`).join(', ')
}

/**
 * Describes the size of the tools list that a model reads: `34.1 kB in tools/list, about 8,500 tokens for a
 * model`.
 */
export function weightWords(weights: readonly { bytes: number; tokens: number }[]): string {
  const bytes = weights.reduce((sum, weight) => sum + weight.bytes, 0)
  const tokens = weights.reduce((sum, weight) => sum + weight.tokens, 0)
  return `${(bytes / 1000).toFixed(1)} kB in tools/list, about ${tokens.toLocaleString('en')} tokens for a model`
}
