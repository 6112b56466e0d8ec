import type { CallInput } from '../../lib/call.ts'
import { useCall } from '../../lib/query.tsx'
import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { type Compared, compared, questionWhere } from './question-where.ts'

type Body = NonNullable<CallInput<'verify_tenant_policy'>['body']>
type Decision = 'allow' | 'needs_approval' | 'deny'

export interface Question {
  kind: 'forbidden' | 'required'
  decision: Decision
  system: string
  operation: string
  path: string
  compare: Compared
  value: string
}

export const emptyQuestion: Question = {
  kind: 'forbidden',
  decision: 'allow',
  system: '',
  operation: '',
  path: '',
  compare: 'above',
  value: '',
}

const kinds = [
  { value: 'forbidden', label: 'No proposal can be' },
  { value: 'required', label: 'Some proposal can be' },
] as const

const decisions: readonly { value: Decision; label: string }[] = [
  { value: 'allow', label: 'allowed without a person' },
  { value: 'needs_approval', label: 'held for a person' },
  { value: 'deny', label: 'denied' },
]

export function QuestionFields({
  tenantId,
  question,
  onChange,
}: {
  tenantId: string
  question: Question
  onChange(question: Question): void
}) {
  const policy = useCall('read_policy', { params: { tenant_id: tenantId } }).data?.policy
  const change = (part: Partial<Question>): void => onChange({ ...question, ...part })
  const systems = policy?.allowed_systems ?? []
  const operations = policy?.allowed_operations[question.system] ?? []
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
      <Field label="To be proved">
        <Choice options={kinds} value={question.kind} onChoose={kind => change({ kind })} />
      </Field>
      <Field label="Decision">
        <Choice options={decisions} value={question.decision} onChoose={decision => change({ decision })} />
      </Field>
      <Field label="System">
        <Choice
          options={[{ value: '', label: 'Any system' }, ...systems.map(asOption)]}
          value={question.system}
          onChoose={system => change({ system, operation: '' })}
        />
      </Field>
      <Field label="Operation">
        <Choice
          options={[{ value: '', label: 'Any operation' }, ...operations.map(asOption)]}
          value={question.operation}
          onChoose={operation => change({ operation })}
        />
      </Field>
      <Field label="Parameter (optional)">
        <TextInput
          placeholder="amount"
          autoComplete="off"
          spellCheck={false}
          value={question.path}
          onChange={event => change({ path: event.currentTarget.value })}
        />
      </Field>
      {question.path.trim() !== '' && (
        <>
          <Field label="Is">
            <Choice options={compared} value={question.compare} onChoose={compare => change({ compare })} />
          </Field>
          {question.compare !== 'missing' && (
            <Field label="Value">
              <TextInput
                required
                autoComplete="off"
                value={question.value}
                onChange={event => change({ value: event.currentTarget.value })}
              />
            </Field>
          )}
        </>
      )}
    </div>
  )
}

export function questionBody(question: Question): Body {
  const { kind, decision, system, operation, path, compare, value } = question
  const query = {
    name: nameOf(question),
    decision,
    ...(system === '' ? {} : { system }),
    ...(operation === '' ? {} : { operation }),
    ...(path.trim() === '' ? {} : { where: { [path.trim()]: questionWhere(compare, value) } }),
  }
  return kind === 'forbidden' ? { forbidden: [query] } : { required: [query] }
}

function nameOf({ decision, system, operation, path, compare, value }: Question): string {
  const what = [system, operation].filter(part => part !== '').join('.') || 'anything'
  const word = compared.find(option => option.value === compare)?.label ?? compare
  const where =
    path.trim() === '' ? '' : `, ${path.trim()} ${word} ${compare === 'missing' ? '' : value}`.trimEnd()
  return `${decision} of ${what}${where}`.slice(0, 200)
}

function asOption(value: string): { value: string; label: string } {
  return { value, label: value }
}
