import { keyUses } from '../../lib/policy/key-uses.ts'
import { useAct } from '../../lib/query.tsx'
import { IssueList } from '../../panels/json/issue-list.tsx'
import { MintKeyDialog } from '../../panels/keys/mint-key-dialog.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'

export function MintTenantKey({
  tenantId,
  open,
  onClose,
}: {
  tenantId: string
  open: boolean
  onClose(): void
}) {
  const mint = useAct('mint_key', { stale: ['list_keys'] })
  return (
    <MintKeyDialog
      tenantId={tenantId}
      open={open}
      onClose={onClose}
      title={`New key of ${tenantId}`}
      mint={mint}
    >
      {({ api_key: secret, key, warnings }, stored) => (
        <>
          <IssueList
            tone="warn"
            issues={warnings.map(warning => ({ ...warning, line: null }))}
            onJump={() => undefined}
          />
          <SecretOnce secret={secret} what={`Key ${key.name}`} onStored={stored}>
            {keyUses[key.scope]}
          </SecretOnce>
        </>
      )}
    </MintKeyDialog>
  )
}
