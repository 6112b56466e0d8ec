import { baseline, type Guard } from '../guard.ts'

const guardsOfTheDatabase = ['test/store/guards.test.ts']

/** History that nobody rewrites, and reading that writes nothing. */
export const auditGuards: readonly Guard[] = [
  {
    name: 'append-only-trigger',
    invariants: [16],
    protects: 'nobody changes or deletes an event, not even the owner',
    edits: [
      {
        file: baseline.guards,
        from: 'CREATE TRIGGER action_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON',
        to: 'CREATE TRIGGER action_events_append_only BEFORE TRUNCATE ON',
      },
    ],
    tests: guardsOfTheDatabase,
  },
  {
    name: 'append-only-rights',
    invariants: [16],
    protects: 'the runtime role has no right to change or delete an event',
    edits: [
      {
        file: baseline.guards,
        from: 'GRANT USAGE ON SCHEMA action_gate TO action_gate_runtime;',
        to: 'GRANT USAGE ON SCHEMA action_gate TO action_gate_runtime; GRANT UPDATE, DELETE ON action_gate.action_events TO action_gate_runtime;',
      },
    ],
    tests: guardsOfTheDatabase,
  },
  {
    name: 'legal-transitions',
    invariants: [8],
    protects: 'the database refuses an event that the state table does not have',
    edits: [
      {
        file: baseline.steps,
        from: 'CONSTRAINT action_events_legal_transition CHECK (VALUE',
        to: 'CONSTRAINT action_events_legal_transition CHECK (true or VALUE',
      },
    ],
    tests: ['test/guards/legal-steps.test.ts', ...guardsOfTheDatabase],
  },
  {
    name: 'legal-transitions-held-against-the-table',
    invariants: [8],
    protects: 'the steps of the state table are held against every event',
    edits: [
      {
        file: baseline.tables,
        from: '::action_gate.legal_step is not null)',
        to: '::action_gate.legal_step is not null or true)',
      },
    ],
    tests: ['test/guards/legal-steps.test.ts', ...guardsOfTheDatabase],
  },
  {
    name: 'chain-of-events',
    invariants: [8, 16],
    protects: 'an event follows the one before it, from the status that one led to',
    edits: [
      {
        file: baseline.tables,
        from: 'ALTER TABLE "action_gate"."action_events" ADD CONSTRAINT "action_events_chain" FOREIGN KEY ("action_id","previous_sequence","status_from") REFERENCES "action_gate"."action_events"("action_id","sequence","status_to") ON DELETE no action ON UPDATE no action;',
        to: 'SELECT;',
      },
    ],
    tests: guardsOfTheDatabase,
  },
  {
    name: 'no-state-without-event',
    invariants: [15],
    protects: 'the status of an action is that of its last event',
    edits: [
      {
        file: baseline.tables,
        from: 'ALTER TABLE "action_gate"."actions" ADD CONSTRAINT "actions_status_is_last_event" FOREIGN KEY ("action_id","last_sequence","status") REFERENCES "action_gate"."action_events"("action_id","sequence","status_to") ON DELETE no action ON UPDATE no action;',
        to: 'SELECT;',
      },
    ],
    tests: guardsOfTheDatabase,
  },
  {
    name: 'only-forward',
    invariants: [8, 16],
    protects: 'an action is not set back to an earlier event',
    edits: [
      {
        file: baseline.guards,
        from: 'FOR EACH ROW WHEN (NEW.event_count < OLD.event_count OR',
        to: 'FOR EACH ROW WHEN (NEW.event_count < 0 OR',
      },
    ],
    tests: guardsOfTheDatabase,
  },
  {
    name: 'leaf-of-the-event',
    invariants: [16],
    protects: 'the leaf of an event is the hash of its bytes',
    edits: [
      {
        file: baseline.tables,
        from: `CHECK ("action_gate"."action_events"."leaf_hash" = sha256('\\x00'::bytea || "action_gate"."action_events"."event"))`,
        to: 'CHECK (true)',
      },
    ],
    tests: guardsOfTheDatabase,
  },
  {
    name: 'read-only-transactions',
    invariants: [14],
    protects: 'reading for a tenant cannot write',
    edits: [
      {
        file: 'shared/store/postgres/transaction.ts',
        from: 'begin isolation level repeatable read read only',
        to: 'begin isolation level repeatable read',
      },
    ],
    tests: ['test/store/ledger.test.ts'],
  },
  {
    name: 'read-only-readings',
    invariants: [14],
    protects: 'a reading that is one statement cannot write',
    edits: [
      {
        file: 'shared/store/postgres/transaction.ts',
        from: ", set_config('transaction_read_only', 'on', true)",
        to: '',
      },
    ],
    tests: ['test/store/transaction.test.ts'],
  },
  {
    name: 'read-only-statements',
    invariants: [14],
    protects: 'reading for the process itself cannot write',
    edits: [{ file: 'shared/store/postgres/open.ts', from: 'default_transaction_read_only: true, ', to: '' }],
    tests: ['test/store/ledger.test.ts'],
  },
  {
    name: 'append-only-log',
    invariants: [16],
    protects: 'nobody changes the log of a tenant, not even the owner',
    edits: [
      {
        file: baseline.guards,
        from: "'config_events', 'log_entries', 'log_nodes', 'log_checkpoints', 'action_statements', 'verification_reports',",
        to: "'config_events', 'log_checkpoints', 'action_statements', 'verification_reports',",
      },
    ],
    tests: guardsOfTheDatabase,
  },
  {
    name: 'erasure-with-its-event',
    invariants: [16],
    protects: 'content goes only together with an event that says so',
    edits: [
      {
        file: baseline.guards,
        from: 'IF NOT EXISTS (',
        to: 'IF false AND NOT EXISTS (',
      },
    ],
    tests: guardsOfTheDatabase,
  },
  {
    name: 'no-fork-after-a-restore',
    invariants: [16],
    protects: 'a log that does not continue what was signed is not signed again',
    edits: [
      {
        file: 'shared/flow/log/last-signed.ts',
        from: 'const last = signed.last(log_id)',
        to: 'const last = signed_size < 0 ? signed.last(log_id) : undefined',
      },
    ],
    tests: ['test/service/log/log-rolled-back.test.ts', 'test/store/guards.test.ts'],
  },
  {
    name: 'only-events-are-signed',
    invariants: [16],
    protects: 'the root of a log is signed only where its events come to it',
    edits: [
      {
        file: 'shared/flow/log/rolled-back-logs.ts',
        from: 'return tree.size() < log.size || tree.root().equals(log.root)',
        to: 'return tree.size() <= log.size || tree.root().equals(log.root)',
      },
    ],
    tests: ['test/service/log/log-forged.test.ts'],
  },
  {
    name: 'statements-of-the-log-alone',
    invariants: [16],
    protects: 'a statement about an action is signed only of events that the log holds',
    edits: [
      {
        file: 'shared/flow/log/sign-log.ts',
        from: 'return logged.length === bytes && logged.equals(leaf_hashes.subarray(0, bytes))',
        to: 'return leaf_hashes.length >= bytes',
      },
    ],
    tests: ['test/service/log/log-forged.test.ts'],
  },
  {
    name: 'ended-keys-sign-no-more',
    invariants: [16],
    protects: 'a key that was retired or leaked signs nothing',
    edits: [
      {
        file: 'shared/audit/note/key-roster.ts',
        from: "if (status === 'retired' || status === 'compromised')",
        to: "if (status === 'next' && own.length < 0)",
      },
    ],
    tests: ['test/service/log/signing-keys.test.ts'],
  },
]
