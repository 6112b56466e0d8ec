import { type ComponentProps, type FormEvent, useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import { call, ProblemError } from '../../lib/call.ts'
import { holdFreshKey } from '../../lib/session/fresh-keys.ts'
import { sessionBegan } from '../../lib/session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { PasswordField } from '../account/password-field.tsx'
import { StrengthHint } from '../account/strength-hint.tsx'
import { RefusalNote, useRefusals } from '../parts/refusal.tsx'
import { TemplateChoice, WithTemplates } from './template-choice.tsx'

const words = {
  account_conflict: 'You have an account with this e-mail and password already. Sign in with it below.',
}
const fields = ['email', 'password', 'organization'] as const
type FieldName = (typeof fields)[number]

/**
 * Creates an account, an organization and an application with one request. The response starts a session and
 * contains the first agent key.
 */
export function SignUpForm() {
  return <WithTemplates>{templates => <Fields templates={templates} />}</WithTemplates>
}

function Fields({ templates }: Pick<ComponentProps<typeof TemplateChoice>, 'templates'>) {
  const [values, setValues] = useState<Record<FieldName, string>>({
    email: '',
    password: '',
    organization: '',
  })
  const [template, setTemplate] = useState(templates[0]?.name ?? '')
  const [busy, setBusy] = useState(false)
  const refusals = useRefusals()
  const errors = errorsOf(refusals.error)
  const change = (name: FieldName) => (value: string) => {
    setValues(before => ({ ...before, [name]: value }))
    if (errors[name]) refusals.tell(null)
  }

  const signUp = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      const { tenant, api_key, key, integration, ...profile } = await call('sign_up', {
        body: { ...values, template },
      })
      sessionBegan(profile, `/a/${tenant.tenant_id}`)
      holdFreshKey(tenant.tenant_id, { name: key.name, secret: api_key, stored: false })
    } catch (refused) {
      refusals.tell(refused as Error)
      setBusy(false)
    }
  }

  return (
    <form onSubmit={event => void signUp(event)} className="flex flex-col gap-5">
      <Field label="E-mail" error={errors.email}>
        <TextInput
          type="email"
          name="email"
          autoComplete="username"
          required
          autoFocus
          value={values.email}
          onChange={event => change('email')(event.currentTarget.value)}
        />
      </Field>
      <PasswordField
        autoComplete="new-password"
        value={values.password}
        onChange={change('password')}
        hint={errors.password ? null : <StrengthHint password={values.password} email={values.email} />}
        error={errors.password ?? null}
      />
      <Field label="Organization" hint="Your company or team. Only you see it." error={errors.organization}>
        <TextInput
          name="organization"
          autoComplete="organization"
          required
          maxLength={limits.label_length_max}
          value={values.organization}
          onChange={event => change('organization')(event.currentTarget.value)}
        />
      </Field>
      <TemplateChoice templates={templates} value={template} onChoose={setTemplate} />
      {Object.keys(errors).length === 0 && <RefusalNote refusals={refusals} words={words} />}
      <Button type="submit" variant="primary" busy={busy} disabled={refusals.secondsLeft > 0}>
        Create account
      </Button>
    </form>
  )
}

function errorsOf(error: Error | null): Partial<Record<FieldName, string>> {
  const issues = error instanceof ProblemError ? (error.problem.errors ?? []) : []
  return Object.fromEntries(
    fields.flatMap(name => {
      const issue = issues.find(({ path }) => path.replace(/^.*[./]/, '') === name)
      return issue ? [[name, sentence(name, issue.message)]] : []
    }),
  )
}

function sentence(name: FieldName, message: string): string {
  const subject = { email: 'This', password: 'This password', organization: 'The name' }[name]
  return /^(is|has|must|contains|repeats)\b/.test(message) ? `${subject} ${message}.` : message
}
