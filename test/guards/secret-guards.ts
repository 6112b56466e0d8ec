import type { Guard } from './guard.ts'

const judge = 'shared/flow/secret/judge-secret.ts'
const stored = ['test/service/tenant/stored-secrets.test.ts']
const proof = 'shared/actuator/http/request-proof.ts'
const proved = ['test/pure/actuator/http-auth.test.ts']

/** Who gets a secret, and where it goes. */
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
    edits: [{ file: proof, from: 'redact: redact.and([token]),', to: 'redact,' }],
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
]
