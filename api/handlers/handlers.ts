import type { endpoints } from '../../shared/contract/endpoints/endpoints.ts'
import { accountHandlers } from './account-handlers.ts'
import { actionHandlers } from './action-handlers.ts'
import { adminHandlers } from './admin-handlers.ts'
import { adminKeyHandlers } from './admin-key-handlers.ts'
import { auditHandlers } from './audit-handlers.ts'
import { consoleHandlers } from './console-handlers.ts'
import { grantHandlers } from './grant-handlers.ts'
import type { Handlers } from './handler.ts'
import { hostedHandlers, integrationHandlers } from './hosted-handlers.ts'
import { memberHandlers } from './member-handlers.ts'
import { operatorHandlers } from './operator-handlers.ts'
import { policyHandlers } from './policy-handlers.ts'
import { publicHandlers } from './public-handlers.ts'
import { pushHandlers } from './push-handlers.ts'
import { queueHandlers } from './queue-handlers.ts'
import { routeHandlers } from './route-handlers.ts'
import { secretHandlers } from './secret-handlers.ts'
import { signInHandlers } from './sign-in-handlers.ts'
import { slackHandlers } from './slack-handlers.ts'
import { streamHandlers } from './stream-handlers.ts'
import { toolHandlers } from './tool-handlers.ts'
import { verificationHandlers } from './verification-handlers.ts'
import { webhookHandlers } from './webhook-handlers.ts'

export const handlers: Handlers<typeof endpoints> = {
  ...publicHandlers,
  ...actionHandlers,
  ...auditHandlers,
  ...adminHandlers,
  ...adminKeyHandlers,
  ...consoleHandlers,
  ...policyHandlers,
  ...verificationHandlers,
  ...operatorHandlers,
  ...toolHandlers,
  ...webhookHandlers,
  ...pushHandlers,
  ...secretHandlers,
  ...routeHandlers,
  ...grantHandlers,
  ...integrationHandlers,
  ...queueHandlers,
  ...streamHandlers,
  ...accountHandlers,
  ...memberHandlers,
  ...signInHandlers,
  ...slackHandlers,
  ...hostedHandlers,
}
