import type { ApiKey } from '../../../../shared/contract/configuration/tenant.ts'
import { useNow } from '../../lib/clock.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'

const scopes = {
  agent: 'Agent: proposes',
  approver: 'Approver: decides',
  policy_author: 'Policy author',
  auditor: 'Auditor: reads',
  operator: 'Operator: tools',
  admin: 'Admin: everything',
  on_call: 'On call: reads',
} as const

/** Lists keys without their secrets. A null `onRevoke` hides the column with the revoke buttons. */
export function KeyTable({
  keys,
  onRevoke,
}: {
  keys: readonly ApiKey[]
  onRevoke: ((key: ApiKey) => void) | null
}) {
  const now = useNow()
  const columns: Column<ApiKey>[] = [
    {
      title: 'Name',
      cell: ({ name, key_id }) => (
        <>
          <span className="block font-medium">
            <ForeignText text={name} />
          </span>
          <code className="block font-mono text-[0.8125rem] break-all text-soft">{key_id}</code>
        </>
      ),
    },
    { title: 'Scope', cell: ({ scope }) => scopes[scope] },
    { title: 'Created', cell: ({ created }) => <Time at={created} /> },
    { title: 'Expires', cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : 'Never') },
    { title: 'State', cell: key => <KeyState {...key} now={now} /> },
    ...(onRevoke ? [actionColumn(onRevoke)] : []),
  ]
  return <Table caption="API keys" columns={columns} rows={keys} keyOf={({ key_id }) => key_id} />
}

function actionColumn(onRevoke: (key: ApiKey) => void): Column<ApiKey> {
  return {
    title: 'Action',
    cell: key =>
      key.revoked ? (
        <span className="text-soft">None</span>
      ) : (
        <Button size="small" variant="danger" onClick={() => onRevoke(key)}>
          Revoke<span className="sr-only"> {key.key_id}</span>
        </Button>
      ),
  }
}

function KeyState({ revoked, expires_at, now }: ApiKey & { now: number }) {
  if (revoked) return <Badge tone="bad">Revoked</Badge>
  if (expires_at !== null && Date.parse(expires_at) <= now) return <Badge tone="warn">Expired</Badge>
  return <Badge tone="good">Usable</Badge>
}
