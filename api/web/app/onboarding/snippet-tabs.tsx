import { useState } from 'react'
import type { Integration } from '../../../../shared/contract/configuration/getting-started.ts'
import { basePath } from '../../lib/base-path.ts'
import { useCall } from '../../lib/query.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Reading } from '../../ui/state.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ForeignText } from '../../ui/text.tsx'

type Language = keyof Integration['snippets']

const languages: readonly { name: Language; label: string; run: string; ending: string }[] = [
  { name: 'curl', label: 'curl', run: 'sh', ending: 'sh' },
  { name: 'typescript', label: 'TypeScript', run: 'npx tsx', ending: 'mts' },
  { name: 'python', label: 'Python', run: 'python3', ending: 'py' },
]
const files = { agent: 'first_proposal', approver: 'held_actions' } as const

export interface SnippetTabsProps {
  tenantId: string
  /** The agent key's secret if it was issued in this tab. The page copies the secret but never shows it. */
  secret: string | null
}

export function SnippetTabs({ tenantId, secret }: SnippetTabsProps) {
  const integration = useCall('read_owned_integration', { params: { tenant_id: tenantId } })
  return (
    <Reading query={integration} rows={9}>
      {bundle => <Snippets integration={bundle} secret={secret} />}
    </Reading>
  )
}

export function Snippets({
  integration: { snippets, scope, example_proposal },
  secret,
}: {
  integration: Pick<Integration, 'snippets' | 'scope' | 'example_proposal'>
  secret: string | null
}) {
  const [language, setLanguage] = useState<Language>('curl')
  return (
    <Tabs<Language>
      value={language}
      onChoose={setLanguage}
      tabs={languages.map(({ name, label, run, ending }) => ({
        name,
        label,
        panel: (
          <div className="flex flex-col gap-3">
            <Environment secret={secret} snippet={snippets[name]} />
            <p className="text-sm text-soft">
              Save this as{' '}
              <code className="font-mono text-[0.8125rem] text-ink">{`${files[scope]}.${ending}`}</code>
            </p>
            <CodeBlock text={snippets[name]} what={`${label} code`} lines={16} />
            <p className="text-sm text-soft">and run it:</p>
            <CodeBlock text={`${run} ${files[scope]}.${ending}`} what="Command" />
            {scope === 'agent' && <Proposes {...example_proposal.action} />}
          </div>
        ),
      }))}
    />
  )
}

/** Warns that running the example may change a real system. */
function Proposes({ operation, target_system }: Integration['example_proposal']['action']) {
  return (
    <p className="text-sm text-soft">
      It proposes <ForeignText text={operation} /> on <ForeignText text={target_system} />. What the gate
      allows is executed there.
    </p>
  )
}

/** Shows the environment variables. Omits the service's address if the code already contains it. */
function Environment({ secret, snippet }: { secret: string | null; snippet: string }) {
  const url = `${window.location.origin}${basePath}`
  const address = snippet.includes(url) ? '' : `\nexport ACTION_GATE_URL='${url}'`
  const lines = (key: string): string => `export ACTION_GATE_KEY='${key}'${address}`
  return (
    <>
      <p className="text-sm text-soft">
        {secret
          ? 'Set your key; copying these lines puts the whole key in.'
          : 'Set your key, in the place of the dots.'}
      </p>
      <CodeBlock
        text={lines(secret ? masked(secret) : 'agk_…')}
        copies={lines(secret ?? 'agk_…')}
        what="Environment"
      />
    </>
  )
}

function masked(secret: string): string {
  const [id = ''] = secret.split('.')
  return `${id}.••••••••••••`
}
