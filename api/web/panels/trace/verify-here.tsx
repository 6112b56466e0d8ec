import { useState } from 'react'
import type { AuditExport, Trace } from '../../../../shared/contract/action/action.ts'
import { call } from '../../lib/call.ts'
import { download } from '../../lib/download.ts'
import { type Trust, type Verified, verifyHere } from '../../lib/trace/verifier.ts'
import { Download, ShieldCheck } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { VerifyReport } from './verify-report.tsx'

interface Done {
  verified: Verified
  trust: Trust
}

export function VerifyHere({ trace, exportAudit }: { trace: Trace; exportAudit(): Promise<AuditExport> }) {
  const [vkeys, setVkeys] = useState('')
  const [done, setDone] = useState<Done | null>(null)
  const { busy, error, run } = useRun()
  const verify = async (): Promise<void> => {
    setDone(null)
    const exported = await exportAudit()
    const trust = await trustFor(exported, vkeys)
    setDone({ verified: await verifyHere(exported, trust), trust })
  }
  const save = async (): Promise<void> => {
    const exported = await exportAudit()
    download(`audit-${trace.action_id}.json`, JSON.stringify(exported), 'application/json')
  }
  return (
    <Card
      title="Verify in this browser"
      hint="Recomputes every hash from the export and checks the signatures, with the verifier that auditors use offline."
      actions={
        <>
          <Button
            size="small"
            busy={busy === 'save'}
            disabled={busy !== null}
            onClick={() => run('save', save)}
          >
            <Download className="size-4" aria-hidden /> Download export
          </Button>
          <Button
            size="small"
            variant="primary"
            busy={busy === 'verify'}
            disabled={busy !== null}
            onClick={() => run('verify', verify)}
          >
            <ShieldCheck className="size-4" aria-hidden /> Verify
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <div aria-live="polite">
          {error && <ProblemNote error={error} />}
          {done && <VerifyReport verified={done.verified} trust={done.trust} shownRoot={trace.audit_root} />}
        </div>
        <OwnKey value={vkeys} onChange={setVkeys} />
      </div>
    </Card>
  )
}

function OwnKey({ value, onChange }: { value: string; onChange(value: string): void }) {
  return (
    <Disclosure label="Trust a key you got elsewhere instead">
      <Field
        label="Verifier key"
        hint="One line each, as name+id+key. Get it from a person or a place that this service cannot change. Left empty, the keys that the service itself names are used."
      >
        <TextArea
          value={value}
          rows={2}
          spellCheck={false}
          placeholder="gate.example.org+3df1a4c2+AbCd…"
          className="font-mono text-[0.8125rem]"
          onChange={event => onChange(event.currentTarget.value)}
        />
      </Field>
    </Disclosure>
  )
}

async function trustFor({ log }: AuditExport, vkeys: string): Promise<Trust> {
  if (vkeys.trim() !== '') return { from: 'person', vkeys }
  const query = 'origin' in log ? { origin: log.origin } : {}
  return { from: 'service', keys: await call('audit_keys', { query }) }
}

function useRun() {
  const [busy, setBusy] = useState<'verify' | 'save' | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const run = (what: 'verify' | 'save', act: () => Promise<void>): void => {
    setBusy(what)
    setError(null)
    act()
      .catch((failure: unknown) => setError(failure instanceof Error ? failure : new Error(String(failure))))
      .finally(() => setBusy(null))
  }
  return { busy, error, run }
}
