import { baseline, type Guard } from '../guard.ts'

const rowSecurity = ['test/store/row-level-security.test.ts']

/** Two walls between tenants: the queries name their tenant, and the database refuses what a query forgets. */
export const tenantGuards: readonly Guard[] = [
  {
    name: 'tenant-in-change',
    invariants: [17],
    protects: 'a decision about an action of another tenant finds none',
    edits: [
      {
        file: 'shared/flow/core/change-action.ts',
        from: 'if (!change || (change.tenant_id !== null && change.tenant_id !== row.tenant_id)) {',
        to: 'if (!change) {',
      },
    ],
    tests: ['test/guards/first-wall.test.ts'],
  },
  {
    name: 'tenant-in-query',
    invariants: [17],
    protects: 'reading an action of another tenant finds none',
    edits: [
      {
        file: 'shared/store/action/actions.ts',
        from: 'where action_id = w.action_id`)} a on a.tenant_id = w.tenant_id`',
        to: 'where action_id = w.action_id`)} a on true`',
      },
    ],
    tests: ['test/guards/first-wall.test.ts'],
  },
  {
    name: 'row-level-security',
    invariants: [17],
    protects: 'a query that forgets its tenant sees and writes no row of another',
    edits: [
      {
        file: baseline.guards,
        from: 'USING (action_gate.in_scope(tenant_id)) WITH CHECK (action_gate.in_scope(tenant_id))',
        to: 'USING (true) WITH CHECK (true)',
      },
    ],
    tests: rowSecurity,
  },
  {
    name: 'row-level-security-of-late-results',
    invariants: [17],
    protects: 'the same for the results that came late',
    edits: [
      {
        file: baseline.guards,
        from: "'execution_jobs', 'late_results', 'config_events'",
        to: "'execution_jobs', 'config_events'",
      },
    ],
    tests: rowSecurity,
  },
  {
    name: 'one-name-one-tenant',
    invariants: [17],
    protects: 'no name of a tenant stands for several',
    edits: [
      {
        file: 'shared/store/postgres/open.ts',
        from: "if (tenantId === everyTenant || tenantId.includes(',')) throw",
        to: "if (tenantId === '') throw",
      },
    ],
    tests: rowSecurity,
  },
  {
    name: 'row-level-security-of-reports',
    invariants: [17],
    protects: 'the same for verification reports and their signatures',
    edits: [
      {
        file: baseline.guards,
        from: "'action_statements', 'verification_reports', 'report_signatures', 'unsigned_reports', 'tenant_owners'",
        to: "'action_statements', 'tenant_owners'",
      },
    ],
    tests: rowSecurity,
  },
  {
    name: 'on-call-reads-alone',
    invariants: [17],
    protects: 'who is on call changes nothing, by a key as by a session of the console',
    edits: [
      {
        file: 'api/http/authenticate.ts',
        from: "if (scope !== 'on_call' || !isForAdminsOnly(endpoint)) return",
        to: "if (scope !== 'on_call' || isForAdminsOnly(endpoint)) return",
      },
    ],
    tests: ['test/service/tenant/on-call-keys.test.ts', 'test/service/account/operators.test.ts'],
  },
  {
    name: 'author-held-by-every-write',
    invariants: [17],
    protects: 'a credential that ends while it asks changes nothing',
    edits: [
      {
        file: 'api/http/mount.ts',
        from: 'const context = author ? underAuthor(edge.context, author) : edge.context',
        to: 'const { context } = author ? edge : { ...edge, underAuthor }',
      },
    ],
    tests: ['test/service/account/ended-while-asking.test.ts'],
  },
  {
    name: 'revoked-key-of-an-author',
    invariants: [17],
    protects: 'a key that is revoked while it asks changes nothing',
    edits: [
      {
        file: 'shared/flow/core/hold-author.ts',
        from: "if (key.revoked) throw new ServiceError('key_revoked')",
        to: '',
      },
    ],
    tests: ['test/service/account/ended-while-asking.test.ts'],
  },
  {
    name: 'author-locked-until-the-end',
    invariants: [17],
    protects: 'a key is not revoked between the look at it and the commit of what it changes',
    edits: [
      {
        file: 'shared/store/account/author-rows.ts',
        from: ' for share of k`',
        to: '`',
      },
    ],
    tests: ['test/store/held-transactions.test.ts'],
  },
  {
    name: 'again-after-a-deadlock',
    invariants: [17],
    protects: 'a change that gave way to another one in a deadlock is done all the same',
    edits: [
      {
        file: 'shared/store/postgres/open.ts',
        from: 'if (time === timesMax || !gaveWay(error)) throw error',
        to: 'if (time <= timesMax || !gaveWay(error)) throw error',
      },
    ],
    tests: ['test/store/held-transactions.test.ts'],
  },
]
