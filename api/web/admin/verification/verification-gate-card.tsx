import { useState } from 'react'
import { useAct } from '../../lib/query.tsx'
import { Confirm } from '../../panels/confirm.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'

/**
 * Turns the verification gate on or off. The page shows its state only after a change, because no endpoint reads
 * it.
 */
export function VerificationGateCard({ tenantId }: { tenantId: string }) {
  const gate = useAct('set_verification_gate')
  const [asked, setAsked] = useState<boolean | null>(null)
  const [set, setSet] = useState<boolean | null>(null)
  const required = asked ?? set ?? true
  return (
    <Card title="Verification gate" hint="Whether a revision may break what the last passing report proved">
      {set !== null && (
        <p role="status" className="mb-3 font-medium">
          {set
            ? 'On: a revision that breaks a proof is refused.'
            : 'Off: a revision that breaks a proof is told, and saved.'}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setAsked(true)}>Refuse such revisions</Button>
        <Button onClick={() => setAsked(false)}>Let them pass</Button>
      </div>
      <Confirm
        open={asked !== null}
        onClose={() => setAsked(null)}
        act={gate}
        input={() => ({ params: { tenant_id: tenantId }, body: { required } })}
        title={required ? 'Refuse revisions that break a proof?' : 'Let revisions pass that break a proof?'}
        label={required ? 'Refuse them' : 'Let them pass'}
        done={required ? 'The gate is on' : 'The gate is off'}
        onDone={() => setSet(required)}
      >
        <p>
          {required
            ? 'A policy or catalog under which a proved outcome holds no longer, or cannot be settled, is refused with 409. Nobody can save it until the gate is off, or the proof is asked anew.'
            : 'A policy or catalog that breaks what was proved is saved; the answer says what it breaks.'}
        </p>
      </Confirm>
    </Card>
  )
}
