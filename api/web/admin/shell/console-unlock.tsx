import type { LockReason } from '../../lib/session/tab-key.ts'
import { UnlockPage } from '../../panels/keys/unlock-page.tsx'
import { ConsoleIssuers } from './console-sign-in.tsx'

export function ConsoleUnlock({ reason }: { reason: LockReason }) {
  return (
    <UnlockPage
      reason={reason}
      place="console"
      keyName="Admin key"
      prefix="adk_"
      title="Unlock the console"
      lead="The console sees and stops everything in this deployment. It opens with an admin key, and to look with an on-call key."
      button="Unlock"
      beside={<ConsoleIssuers verb="Sign in with" />}
    />
  )
}
