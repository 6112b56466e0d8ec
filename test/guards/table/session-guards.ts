import type { Guard } from '../guard.ts'

/** Sessions with Model Context Protocol servers, which calls share. */
export const sessionGuards: readonly Guard[] = [
  {
    name: 'session-of-one-tenant',
    invariants: [17],
    protects: 'two tenants never share a session, or a program',
    edits: [
      {
        file: 'shared/actuator/mcp/resolve-server.ts',
        from: 'const identity = { tenant_id, server, ...bounds }',
        to: 'const identity = { server, ...bounds }',
      },
    ],
    tests: ['test/pure/actuator/mcp-http-sessions.test.ts'],
  },
  {
    name: 'no-late-call-in-a-session',
    invariants: [5, 6],
    protects: 'a call is not sent in a session that is there once its lease is over',
    edits: [
      {
        file: 'shared/actuator/mcp/watch-wire.ts',
        from: `    admit() {
      if (isLate()) throw new TooLate()`,
        to: '    admit() {',
      },
    ],
    tests: ['test/pure/actuator/mcp-watched-wire.test.ts'],
  },
  {
    name: 'no-call-of-a-changed-tool',
    invariants: [12],
    protects: 'a tool that was told to have changed is not called as it was read before',
    edits: [
      {
        file: 'shared/actuator/mcp/watch-wire.ts',
        from: "if (isStale?.()) throw new ToolsChanged('the server told that its tools changed')",
        to: '',
      },
    ],
    tests: ['test/pure/actuator/mcp-watched-wire.test.ts'],
  },
  {
    name: 'told-changes-end-a-definition',
    invariants: [12],
    protects: 'what was read of the tools does not count once the server told a change',
    edits: [
      {
        file: 'shared/actuator/mcp/mcp-session.ts',
        from: 'listed !== null && listed.changes === wire.changes() && listed.age() < countsMs',
        to: 'listed !== null && listed.age() < countsMs',
      },
    ],
    tests: ['test/pure/actuator/mcp-http-sessions.test.ts'],
  },
  {
    name: 'lost-call-is-unknown',
    invariants: [6, 10],
    protects: 'a call that left and got no answer is not begun again, and not called undone',
    edits: [
      {
        file: 'shared/actuator/mcp/mcp-actuator.ts',
        from: 'if (!begun || saysNothingDone(error)) return { error }',
        to: 'return { error }',
      },
    ],
    tests: ['test/pure/actuator/mcp-http-sessions.test.ts'],
  },
  {
    name: 'proof-only-of-a-session',
    invariants: [6, 9],
    protects: '404 is proof only where the server gave out the session',
    edits: [
      {
        file: 'shared/actuator/mcp/server-refusal.ts',
        from: 'return status === 404 && inSession ?',
        to: 'return status === 404 ?',
      },
    ],
    tests: ['test/pure/actuator/mcp-http-sessions.test.ts'],
  },
  {
    name: 'lost-call-ends-its-session',
    invariants: [10],
    protects: 'a session that did not do what the protocol demands takes no other call',
    edits: [
      {
        file: 'shared/actuator/mcp/kept-sessions.ts',
        from: "kept.spent ||= state === 'misbehaved'",
        to: '',
      },
    ],
    tests: ['test/pure/actuator/kept-sessions.test.ts'],
  },
  {
    name: 'cancelled-task-is-unknown',
    invariants: [9, 10],
    protects: 'a task that outlives its attempt, or was cancelled, is never called undone',
    edits: [
      {
        file: 'shared/actuator/mcp/mcp-actuator.ts',
        from: "return { class: 'unknown', code, message: mcp.redact.text(message).slice(0, 500), body }",
        to: "return { class: 'failed', code, message: mcp.redact.text(message).slice(0, 500), body }",
      },
    ],
    tests: ['test/pure/actuator/mcp-tasks.test.ts'],
  },
]
