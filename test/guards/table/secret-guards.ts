import type { Guard } from '../guard.ts'

const judge = 'shared/flow/secret/judge-secret.ts'
const stored = ['test/service/tenant/stored-secrets.test.ts']
const proof = 'shared/actuator/http/request-proof.ts'
const tokens = 'shared/actuator/http/token-cache.ts'
const proved = ['test/pure/actuator/http-auth.test.ts']

/** Who gets a secret, and where it goes. */
const repeated = ['test/pure/actuator/repeated-secrets.test.ts']

export const secretGuards: readonly Guard[] = [
  {
    name: 'secret-goes-where-it-was-bound',
    invariants: [20],
    protects: 'a stored secret is sent to no host that nobody confirmed it for',
    edits: [
      {
        file: judge,
        from: 'if (!samePlaces(known.bound_to, places)) {',
        to: 'if (samePlaces.length === 0) {',
      },
    ],
    tests: stored,
  },
  {
    name: 'secret-of-one-actuator',
    invariants: [20],
    protects: 'a stored secret is that of the actuator that it was written for',
    edits: [{ file: judge, from: 'if (known.actuator !== actuator) {', to: "if (known.actuator === '') {" }],
    tests: stored,
  },
  {
    name: 'secret-written-for-the-place-that-was-seen',
    invariants: [20],
    protects: 'a value that is typed for one host is not stored for another that was registered meanwhile',
    edits: [
      {
        file: 'shared/flow/tenant/manage-secrets.ts',
        from: '    if (expected) refuseOtherPlaces(actuator, bound_to, expected)\n',
        to: '    void expected\n',
      },
    ],
    tests: stored,
  },
  {
    name: 'first-use-on-record',
    invariants: [4],
    protects: 'the first use of a version of a secret is on record before it is sent',
    edits: [
      {
        file: 'shared/flow/secret/open-stored.ts',
        from: 'if (!secret.used) await recordFirstUse(context, secret)',
        to: "if (secret.name === '') await recordFirstUse(context, secret)",
      },
    ],
    tests: stored,
  },
  {
    name: 'token-of-one-tenant',
    invariants: [20],
    protects: 'an access token is that of one tenant and of the secrets that it was given for',
    edits: [
      {
        file: proof,
        from: 'canonicalJson({ tenant_id, auth: auth as JsonValue, client_id, client_secret })',
        to: 'canonicalJson({ auth: auth as JsonValue, client_id, client_secret, tenants: [tenant_id].length })',
      },
    ],
    tests: proved,
  },
  {
    name: 'token-in-no-record',
    invariants: [20],
    protects: 'an access token that a downstream echoes is in no record',
    edits: [
      { file: proof, from: 'redact: redact.and([token, ...proving.tokens.recent(name)]),', to: 'redact,' },
    ],
    tests: proved,
  },
  {
    name: 'no-token-is-no-failure',
    invariants: [6],
    protects: 'a request whose token is not given out is provably not sent, and fails no action',
    edits: [
      {
        file: 'shared/actuator/http/http-actuator.ts',
        from: "if (error instanceof NoToken) return notMade(error.code !== 'egress_refused', error)",
        to: 'if (error instanceof NoToken) return notMade(false, error)',
      },
    ],
    tests: proved,
  },
  {
    name: 'one-token-request-at-a-time',
    invariants: [20],
    protects: 'of calls that need a token one asks for it, and the others wait',
    edits: [{ file: tokens, from: 'underWay.get(name) ??\n      fetch()', to: 'fetch()' }],
    tests: proved,
  },
  {
    name: 'token-until-its-end',
    invariants: [6],
    protects: 'a token is not sent after its end',
    edits: [{ file: tokens, from: 'if (!token || token.ends_at <= now()) return', to: 'if (!token) return' }],
    tests: proved,
  },
  {
    name: 'refused-token-is-forgotten',
    invariants: [6],
    protects: 'a token that the API refused is sent with no other call',
    edits: [
      {
        file: proof,
        from: 'refused: () => proving.tokens.drop(name, token),',
        to: 'refused: () => undefined,',
      },
    ],
    tests: proved,
  },
  {
    name: 'newer-token-is-kept',
    invariants: [6],
    protects: 'the refusal of an old token takes none away that came after it',
    edits: [
      {
        file: tokens,
        from: 'if (kept.get(name)?.value === value) kept.forget(name)',
        to: "if (value !== '') kept.forget(name)",
      },
    ],
    tests: proved,
  },
  {
    name: 'server-of-a-certificate-is-vouched-for',
    invariants: [20],
    protects: 'a client certificate and its request go to no server that nobody vouches for',
    edits: [
      {
        file: 'shared/actuator/egress/egress-guard.ts',
        from: 'maxCachedSessions: 0,',
        to: 'maxCachedSessions: 0, rejectUnauthorized: false,',
      },
    ],
    tests: proved,
  },
  {
    name: 'certificate-over-tls-alone',
    invariants: [20],
    protects: 'a client certificate is registered for no address without TLS',
    edits: [
      {
        file: 'shared/contract/configuration/http-actuator-schema.ts',
        from: "auth?.type !== 'mtls' || base_url.startsWith('https:')",
        to: "auth?.type !== 'mtls' || base_url !== ''",
      },
    ],
    tests: proved,
  },
  {
    name: 'aws-signs-the-body',
    invariants: [20],
    protects: 'a signature for AWS is one over the body that is sent',
    edits: [
      {
        file: 'shared/actuator/http/sign-aws.ts',
        from: '      ...(call.body === null ? {} : { body: call.body }),\n',
        to: '',
      },
    ],
    tests: ['test/pure/actuator/sign-aws.test.ts'],
  },
  {
    name: 'callback-opens-what-it-hides',
    invariants: [20],
    protects: 'a stored secret that a callback repeats is in no record',
    edits: [
      {
        file: 'shared/actuator/stored-secrets.ts',
        from: '{ calledBack: called => calledBackOpened(actuator, opening, called) }',
        to: '{ ...(calledBackOpened.length > 9 ? {} : {}) }',
      },
    ],
    tests: ['test/service/tenant/repeated-secrets.test.ts'],
  },
  {
    name: 'callback-hides-its-proof',
    invariants: [20],
    protects: 'the proof of an address that a callback repeats is in no record',
    edits: [
      {
        file: 'shared/actuator/http/http-actuator.ts',
        from: 'redact.and([...tokens, ...proofOf(called)])',
        to: 'redact.and([...tokens])',
      },
    ],
    tests: repeated,
  },
  {
    name: 'base64-is-read',
    invariants: [20],
    protects: 'a secret that is repeated in base64, wherever in it, is in no record',
    edits: [
      {
        file: 'shared/actuator/hide-secrets.ts',
        from: 'return [...spans, ...encoded.map(',
        to: 'return [...spans, ...encoded.slice(encoded.length).map(',
      },
    ],
    tests: repeated,
  },
  {
    name: 'escapes-are-read',
    invariants: [20],
    protects: 'a secret that is repeated escaped, however often, is in no record',
    edits: [
      {
        file: 'shared/actuator/escaped-text.ts',
        from: 'const layersMax = 3',
        to: 'const layersMax = 0',
      },
    ],
    tests: repeated,
  },
  {
    name: 'task-leaves-hidden',
    invariants: [20],
    protects: 'a secret in the id or the status of a task is in no record',
    edits: [
      {
        file: 'shared/actuator/mcp/mcp-actuator.ts',
        from: 'return hideIn(await callInTime(mcp, agreed, { ...invocation, signal: deadline.signal }), mcp.redact)',
        to: 'return await callInTime(mcp, agreed, { ...invocation, signal: deadline.signal })',
      },
    ],
    tests: repeated,
  },
]
