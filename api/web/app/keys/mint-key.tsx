import type { Answered } from '../../lib/call.ts'
import { keyUses, kindOfKey } from '../../lib/policy/key-uses.ts'
import { useAct } from '../../lib/query.tsx'
import { holdFreshKey } from '../../lib/session/fresh-keys.ts'
import { IssueList } from '../../panels/json/issue-list.tsx'
import { MintKeyDialog } from '../../panels/keys/mint-key-dialog.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Snippets } from '../onboarding/snippet-tabs.tsx'

type Issued = Answered<'mint_owned_key'>

export function MintKey({ tenantId, open, onClose }: { tenantId: string; open: boolean; onClose(): void }) {
  const mint = useAct('mint_owned_key', { stale: ['list_owned_keys'] })
  return (
    <MintKeyDialog tenantId={tenantId} open={open} onClose={onClose} title="New key" mint={mint}>
      {(issued, stored) => <IssuedKey issued={issued} tenantId={tenantId} onStored={stored} />}
    </MintKeyDialog>
  )
}

function IssuedKey({
  issued: { api_key: secret, key, integration, warnings },
  tenantId,
  onStored,
}: {
  issued: Issued
  tenantId: string
  onStored(): void
}) {
  const agent = key.scope === 'agent'
  const stored = (): void => {
    if (agent) holdFreshKey(tenantId, { name: key.name, secret, stored: true })
    onStored()
  }
  return (
    <>
      <IssueList
        tone="warn"
        issues={warnings.map(warning => ({ ...warning, line: null }))}
        onJump={() => undefined}
      />
      <SecretOnce secret={secret} what={kindOfKey(key.scope)} onStored={stored}>
        {keyUses[key.scope]}
      </SecretOnce>
      {integration && (
        <details className="mt-5 border-t border-line pt-4">
          <summary className="cursor-pointer rounded font-medium">Code that uses it</summary>
          <div className="mt-3">
            <Snippets integration={integration} secret={secret} />
          </div>
        </details>
      )}
    </>
  )
}
