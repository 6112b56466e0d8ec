import { accountEndpoints } from './account-endpoints.ts'
import { actionEndpoints, integrationEndpoints } from './action-endpoints.ts'
import { adminEndpoints } from './admin-endpoints.ts'
import { adminKeyEndpoints } from './admin-key-endpoints.ts'
import { auditEndpoints, streamEndpoints } from './audit-endpoints.ts'
import { consoleEndpoints } from './console-endpoints.ts'
import { grantEndpoints } from './grant-endpoints.ts'
import { hostedEndpoints } from './hosted-endpoints.ts'
import { memberEndpoints } from './member-endpoints.ts'
import { operatorEndpoints } from './operator-endpoints.ts'
import { policyEndpoints } from './policy-endpoints.ts'
import { publicEndpoints } from './public-endpoints.ts'
import { pushEndpoints } from './push-endpoints.ts'
import { queueEndpoints } from './queue-endpoints.ts'
import { routeEndpoints } from './route-endpoints.ts'
import { secretEndpoints } from './secret-endpoints.ts'
import { signInEndpoints } from './sign-in-endpoints.ts'
import { slackEndpoints } from './slack-endpoints.ts'
import { toolEndpoints } from './tool-endpoints.ts'
import { verificationEndpoints } from './verification-endpoints.ts'
import { webhookEndpoints } from './webhook-endpoints.ts'

/** The endpoint table (specification.md#endpoints). The service answers no request that is not listed here. */
export const endpoints = {
  ...publicEndpoints,
  ...actionEndpoints,
  ...auditEndpoints,
  ...adminEndpoints,
  ...adminKeyEndpoints,
  ...consoleEndpoints,
  ...policyEndpoints,
  ...verificationEndpoints,
  ...operatorEndpoints,
  ...toolEndpoints,
  ...webhookEndpoints,
  ...pushEndpoints,
  ...secretEndpoints,
  ...routeEndpoints,
  ...grantEndpoints,
  ...integrationEndpoints,
  ...queueEndpoints,
  ...streamEndpoints,
  ...accountEndpoints,
  ...memberEndpoints,
  ...signInEndpoints,
  ...slackEndpoints,
  ...hostedEndpoints,
}

export type EndpointName = keyof typeof endpoints
