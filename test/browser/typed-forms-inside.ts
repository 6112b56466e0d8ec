import { type Form, press } from './typing.ts'
import type { Stage } from './typing-stage.ts'

/** Of the pages of tools. */
export function formsOfTools({ mark, app, shop }: Stage): Form[] {
  return [
    {
      files: [
        'panels/tools/source-form.tsx',
        'panels/tools/proposal-review.tsx',
        'panels/tools/tool-credentials.tsx',
        'panels/tools/try-operation.tsx',
        'panels/tools/parameter-fields.tsx',
        'panels/tools/stop-tool.tsx',
      ],
      as: 'owner',
      at: async () => `/app/a/${await app()}/tools/add`,
      parts: [
        {
          typed: [
            ['Address of the document', shop],
            ['Name of the system', `s${mark}`],
          ],
          send: 'Enter',
        },
        press('Apply as one revision'),
        press('Set'),
        { typed: [['Value', `secret-${mark}`]], send: 'Store' },
        {
          typed: [
            ['Operation', 'order'],
            ['sum', '5'],
          ],
          send: 'Show the request',
        },
        press('Pause'),
        { typed: [['Reason', mark]], send: 'Pause it' },
      ],
      stored: '/v1/accounts/tenants/{tenant}/freezes',
      has: { system: `s${mark}`, reason: mark },
      sent: {
        secret: { value: `secret-${mark}` },
        test: { operation: 'order', parameters: { sum: 5 } },
      },
    },
  ]
}

/** Of the approvals. */
export function formsOfHeld({ mark, hold }: Stage): Form[] {
  const trace = '/v1/accounts/tenants/{tenant}/actions/{action}'
  return [
    {
      files: ['panels/approvals/comment-dialog.tsx', 'panels/approvals/decision-dialog.tsx'],
      as: 'owner',
      at: () => hold(1),
      parts: [
        press('Comment…'),
        {
          typed: [
            ['Ask for changes', null],
            ['Text', mark],
          ],
          send: 'Ask for changes',
        },
        press('Reject…'),
        { typed: [['Reason', `no ${mark}`]], send: 'Reject' },
      ],
      stored: trace,
      has: { approval: { note: `no ${mark}` } },
      sent: { comment: { kind: 'change_request', text: mark } },
    },
    {
      files: ['panels/approvals/edit-dialog.tsx'],
      as: 'owner',
      at: () => hold(1),
      parts: [press('Edit…'), { typed: [['Parameters', '{"card":"7"}']], send: 'Approve as edited' }],
      stored: trace,
      has: { outcome: { code: 'superseded' } },
      sent: { edit: { parameters: { card: '7' } } },
    },
    {
      files: ['panels/approvals/batch-dialog.tsx'],
      as: 'owner',
      at: () => hold(2),
      parts: [
        press('Select all shown'),
        press('Approve'),
        { typed: [['Note for all', mark]], send: 'Approve and execute' },
      ],
      stored: trace,
      has: { approval: { note: mark } },
    },
    {
      files: ['panels/approvals/inbox/saved-views.tsx', 'panels/approvals/inbox/held-filter.tsx'],
      as: 'owner',
      at: () => hold(1),
      parts: [
        {
          typed: [
            ['Risk', 'hi'],
            ['Search summary', mark],
          ],
          send: 'Save view…',
          backwards: true,
        },
        { typed: [['Name', mark]], send: 'Enter' },
      ],
      stored: '/v1/accounts/views',
      has: { name: mark, filters: { risk: 'high', search: mark } },
    },
  ]
}

/** Of the operators' console. */
export function formsOfOperators({ mark, tenant, lost, stopped }: Stage): Form[] {
  return [
    {
      files: ['admin/tenants/create-tenant-form.tsx'],
      as: 'operator',
      at: '/tenants',
      parts: [
        press('Create tenant'),
        {
          typed: [
            ['Tenant id', `t-${mark}`],
            ['Policy to begin with', 'a'],
            ['Mock actuators', 'm1, m2'],
          ],
          send: 'Enter',
        },
      ],
      stored: '/v1/tenants?limit=200',
      has: { tenant_id: `t-${mark}` },
      sent: { tenant: { mock_actuators: ['m1', 'm2'] } },
    },
    {
      files: ['admin/shell/mint-admin-key.tsx'],
      as: 'operator',
      at: '/admin-keys',
      parts: [
        press('New admin key'),
        {
          typed: [
            ['Name', mark],
            ['On call', null],
            ['Expires', 'i'],
          ],
          send: 'Make key',
        },
      ],
      stored: '/v1/admin-keys',
      has: { name: mark, scope: 'on_call' },
    },
    {
      files: ['admin/shell/invite-operator.tsx'],
      as: 'operator',
      at: '/operators',
      parts: [
        press('Invite operator'),
        {
          typed: [
            ['Whom it is for', mark],
            ['On call', null],
          ],
          send: 'Make link',
        },
      ],
      stored: '/v1/operators',
      has: { label: mark, role: 'on_call' },
    },
    {
      files: ['admin/queue/stop-form.tsx'],
      as: 'operator',
      at: async () => `/tenants/${await tenant()}/stops`,
      parts: [
        press('Freeze…'),
        {
          typed: [
            ['System', 'crm'],
            ['Operation', 'op'],
            ['Agent key', 'agk_1'],
            ['Reason', mark],
          ],
          send: 'Continue',
        },
        press('Freeze'),
      ],
      stored: '/v1/tenants/{tenant}/freezes',
      has: { system: 'crm', operation: 'op', key_id: 'agk_1', reason: mark },
    },
    {
      files: ['admin/queue/lift-dialog.tsx'],
      as: 'operator',
      at: async () => `/tenants/${await stopped()}/stops`,
      parts: [press('Unfreeze'), { typed: [['Reason', mark]], send: 'Unfreeze' }],
      stored: '/v1/tenants/{tenant}/freezes',
      has: { freezes: [] },
      sent: { lift: { reason: mark } },
    },
    {
      files: ['admin/actions/resolve-form.tsx', 'admin/actions/outcome-choice.tsx'],
      as: 'operator',
      at: lost,
      parts: [
        {
          typed: [
            ['It was executed', null],
            ['How did you find out', mark],
            ['Where is the evidence', `e${mark}`],
            ['Result as JSON', '{"id":1}'],
          ],
          send: 'Review and record',
        },
        press('Record it'),
      ],
      stored: '/v1/tenants/{tenant}/actions/{action}',
      has: { outcome: { message: mark }, execution: { result: { detail: { id: 1 } } } },
      sent: { resolution: { note: mark, evidence: `e${mark}` } },
    },
    {
      files: ['admin/verification/run-verification.tsx', 'admin/verification/question-fields.tsx'],
      as: 'operator',
      at: async () => `/tenants/${await tenant()}/verification`,
      parts: [
        {
          typed: [
            ['To be proved', 's'],
            ['Decision', 'de'],
            ['System', 'cr'],
            ['Parameter', 'sum'],
            ['Is', 'eq'],
            ['Value', '5'],
          ],
          send: 'Enter',
        },
      ],
      stored: '/v1/tenants/{tenant}/verification',
      has: { name: 'deny of crm, sum equal to 5' },
      sent: { question: { required: [{ decision: 'deny', system: 'crm', where: { sum: { equals: 5 } } }] } },
    },
    {
      files: ['admin/tenants/actuator-editor.tsx'],
      as: 'operator',
      at: async () => `/tenants/${await tenant()}/actuators`,
      parts: [
        press('Edit'),
        {
          typed: [['Actuators as JSON', `{"actuators":[{"name":"${mark}","kind":"mock","settings":{}}]}`]],
          send: 'Review',
        },
        press('Replace the actuators'),
      ],
      stored: '/v1/tenants/{tenant}/actuators',
      has: { name: mark },
    },
    {
      files: [
        'admin/tenants/document-editor.tsx',
        'admin/tenants/document-review.tsx',
        'admin/tenants/restore-policy.tsx',
      ],
      as: 'operator',
      at: async () => `/tenants/${await tenant()}/policy`,
      parts: [
        press('Edit'),
        {
          typed: [
            [
              'The policy as JSON',
              `{"allowed_systems":["a"],"approval_required_at":"low","review_route":"${mark}"}`,
            ],
          ],
          send: 'Check and review',
        },
        { typed: [['Why', mark]], send: 'Save revision' },
        press('Roll back to revision 1'),
        { typed: [['Why', `back ${mark}`]], send: 'Roll back' },
      ],
      stored: '/v1/tenants/{tenant}/policy/revisions',
      has: { change_note: `back ${mark}` },
      sent: { policy: { policy: { review_route: mark }, change_note: mark } },
    },
    {
      files: ['admin/queue/jobs-page.tsx'],
      as: 'operator',
      at: '/jobs',
      parts: [{ typed: [['Only of tenant', mark]], send: 'Enter' }],
      stored: 'page',
      has: { tenant: mark },
    },
  ]
}
