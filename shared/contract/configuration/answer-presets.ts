import { z } from 'zod'
import type { AnswerRules } from './answer-rules.ts'

export const presetSchema = z
  .enum(['rest', 'webhook', 'graphql', 'json_rpc'])
  .describe(
    'How the API answers: the rules that are not given are those of this kind; `rest` where not given.',
  )
type PresetName = z.infer<typeof presetSchema>

interface Preset {
  answers: string
  refuses_with: readonly number[]
  response?: 'json' | 'ignored' | undefined
  success_when?: AnswerRules | undefined
  failed_when?: AnswerRules | undefined
  busy_when?: AnswerRules | undefined
}

/** JSON-RPC 2.0 error codes that prove that no method was called. */
const notCalled = [-32_700, -32_600, -32_601, -32_602]

export const answerPresets: Readonly<Record<PresetName, Preset>> = {
  rest: { answers: 'by status; the body is empty or JSON', refuses_with: [402, 406, 410, 451] },
  webhook: {
    answers: 'by status; the body says nothing',
    refuses_with: [402, 410, 451],
    response: 'ignored',
  },
  graphql: {
    refuses_with: [402, 406, 451],
    answers:
      'GraphQL over HTTP: `data` without errors is done; errors without `data` were found before anything was executed; both may have had an effect',
    success_when: {
      all_of: [
        { path: 'data', present: true },
        { path: 'errors.0', present: false },
      ],
    },
    failed_when: {
      all_of: [
        { path: 'errors.0', present: true },
        { path: 'data', missing: true },
      ],
    },
  },
  json_rpc: {
    refuses_with: [402, 406, 451],
    answers:
      'JSON-RPC 2.0: `result` is done; an error of -32700 or from -32602 to -32600 says that nothing was called; any other may have had an effect',
    success_when: {
      all_of: [
        { path: 'result', missing: false },
        { path: 'error', present: false },
      ],
    },
    failed_when: {
      all_of: [
        { path: 'error.code', one_of: notCalled },
        { path: 'result', present: false },
      ],
    },
  },
}

export interface StatedAnswers extends Omit<Preset, 'answers' | 'refuses_with'> {
  preset?: PresetName | undefined
}

/**
 * Returns an operation's rules. Missing rules come from the operation's preset, or else from the registration's.
 */
export function effectiveAnswers(
  settings: { preset?: PresetName | undefined },
  operation: StatedAnswers,
): { preset: PresetName } & Omit<Preset, 'answers'> {
  const preset = operation.preset ?? settings.preset ?? 'rest'
  const { answers: _, ...rules } = answerPresets[preset]
  return { ...rules, ...operation, preset }
}
