/** Parts of the product whose rules no test may leave unsaid, and how many mutants of each are tried. */
export interface Area {
  name: string
  files: readonly string[]
  count: number
}

export const areas: readonly Area[] = [
  {
    name: 'lifecycle',
    files: ['decide', 'execute', 'job', 'move', 'trace', 'transition'].map(
      name => `shared/lifecycle/${name}.ts`,
    ),
    count: 16,
  },
  {
    name: 'quorum',
    files: ['shared/lifecycle/holder.ts', 'shared/audit/verify/approval-problems.ts'],
    count: 8,
  },
  {
    name: 'ledger',
    files: [
      'shared/store/action/ledger.ts',
      'shared/store/action/locked-actions.ts',
      'shared/store/job/job-sql.ts',
    ],
    count: 10,
  },
  {
    name: 'claim',
    files: [
      'shared/flow/execution/claim-jobs.ts',
      'shared/flow/core/execution-binding.ts',
      'shared/store/job/claim/claim-statement.ts',
      'shared/store/job/claim/due-jobs.ts',
    ],
    count: 10,
  },
  {
    name: 'reconcile',
    files: [
      'shared/lifecycle/reconciliation.ts',
      'shared/flow/execution/reconcile.ts',
      'shared/store/job/reconcile-attempts.ts',
    ],
    count: 14,
  },
  {
    name: 'classification',
    files: [
      'shared/actuator/exchange.ts',
      'shared/actuator/invoke.ts',
      'shared/actuator/sound-answer.ts',
      'shared/actuator/http/read-answer.ts',
      'shared/actuator/http/judge-rules.ts',
      'shared/actuator/mcp/mcp-actuator.ts',
    ],
    count: 14,
  },
]
