import type { Item } from './checklist-item.ts'

const pages = 'service/edge/pages.test.ts'
const limits = 'service/edge/limits.test.ts'
const hostile = 'service/edge/hostile-clients.test.ts'
const compose = 'deploy/compose.test.ts'
const dockerfile = 'deploy/dockerfile.test.ts'

/** Items 43 to 64: accounts, load, audit, packages. */
export const operationItems: readonly Item[] = [
  {
    item: 43,
    rule: 'Passwords are hashed with argon2id, a few at a time',
    tests: [
      ['pure/runtime/secrets/password.test.ts', 'is argon2id under a salt of pepper and address'],
      [
        'pure/runtime/secrets/password.test.ts',
        'refuses more than wait in line, and takes others once they are done',
      ],
    ],
  },
  {
    item: 44,
    rule: 'Passwords are long, without rules of composition, and not the common ones',
    tests: [
      [
        'service/account/hosted-accounts.test.ts',
        'refuses the address and password of an account, and leaves nothing behind',
      ],
      ['pure/runtime/secrets/weak-password.test.ts', '%s'],
    ],
    why: 'Between 12 and 200 characters.',
  },
  {
    item: 45,
    rule: 'Log-ins are limited per account and per address, and cost the same for unknown accounts',
    tests: [
      [
        'service/account/hosted-limits.test.ts',
        'are few for strangers, even with the password, and lock out no known browser',
      ],
      [
        'service/account/hosted-limits.test.ts',
        'log-ins and sign-ups of an address are few a minute, even with the password',
      ],
      ['service/account/hosted-accounts.test.ts', 'does the same work for an address without account'],
      [
        'service/account/reset-password.test.ts',
        'is asked for so often at one address, whether or not it has an account',
      ],
    ],
  },
  {
    item: 46,
    rule: 'Session cookies: attributes, hashed, ended by time and log-out, new at log-in',
    tests: [
      ['service/account/hosted-accounts.test.ts', 'begins a session under a new token'],
      ['service/account/hosted-sessions.test.ts', 'ends unused after the idle time'],
      [
        'service/account/hosted-sessions.test.ts',
        'goes on while it is used, and ends at its longest whatever happens',
      ],
      ['service/account/hosted-sessions.test.ts', 'ends this session alone, and clears its cookie'],
      [
        'service/tenant/secrets-nowhere.test.ts',
        'what an owner logs in with is in the database as hashes alone, and in no log',
      ],
    ],
    why: 'The specification fixes the name `service_session`, so it has no `__Host-` prefix; the attributes are those that the prefix would ask for. The idle time is two hours unless SERVICE_SESSION_IDLE_MS says otherwise.',
  },
  {
    item: 47,
    rule: 'Every write of a session needs its CSRF token and comes from the own site',
    tests: [
      ['service/account/hosted-rows.test.ts', 'refuses %s against forged requests'],
      ['service/account/hosted-rows.test.ts', 'refuses %o'],
      [
        'service/account/hosted-sessions.test.ts',
        'the token against forged requests is the session’s, and neither is stored',
      ],
    ],
  },
  {
    item: 48,
    rule: 'Strict security headers, no inline script, nothing cached',
    tests: [
      [pages, 'is a page under a policy that lets nothing inline and nothing from elsewhere in'],
      [
        'service/action/routing.test.ts',
        '%s %s has headers that a browser obeys, and a request id of its own',
      ],
    ],
  },
  {
    item: 49,
    rule: 'The admin key is kept in memory only',
    tests: [
      [
        'browser/operator-journey.test.ts',
        'the key is in the memory of the tab alone, and a reload locks the console',
      ],
    ],
  },
  {
    item: 50,
    rule: 'No text becomes markup',
    tests: [['pure/security/source.test.ts', 'no text becomes markup']],
  },
  {
    item: 51,
    rule: 'Proxies are believed only where they are named',
    tests: [
      [limits, 'does not believe a forwarded address unless the proxy is trusted'],
      ['pure/security/edges.test.ts', '%s is refused: only hops or addresses say who is believed'],
    ],
  },
  {
    item: 52,
    rule: 'Limits per key, per tenant, per organization and per address (IPv6 by /64), failed credentials counted, 429 with Retry-After, shared by processes',
    tests: [
      [limits, 'counts per key, and says in every answer what is left'],
      [
        'service/tenant/tenant-bounds.test.ts',
        'have so many requests together, and what one is refused costs the others nothing',
      ],
      ['service/tenant/tenant-bounds.test.ts', 'are so many at most, and one that was revoked makes room'],
      [
        'service/tenant/tenant-bounds.test.ts',
        'of a tenant are 50 at most, whatever keys it has, and one that ends makes room',
      ],
      [
        'service/tenant/tenant-bounds.test.ts',
        'of an organization are 100 at most, over all of its applications',
      ],
      [
        'service/tenant/tenant-bounds.test.ts',
        'of an organization are bounded over applications, keys and sessions',
      ],
      ['service/tenant/tenant-bounds.test.ts', 'that are refused name the limit that was met'],
      [
        'service/approval/held-bounds.test.ts',
        'held proposals of a tenant are bounded by bytes, over all of its keys',
      ],
      ['service/approval/held-bounds.test.ts', 'two processes together stay within the bound and an eighth'],
      [
        'service/policy/proof-bounds.test.ts',
        'about a tenant are eight at most, whatever keys of operators ask',
      ],
      [
        'service/policy/proof-bounds.test.ts',
        'of an owner are eight of an application and 16 in all, over their sessions',
      ],
      [limits, 'counts per address where no key is given, and never the probes'],
      [limits, 'counts per address, and answers 429 beyond it'],
      [limits, 'is shared by all processes through Redis in platform mode'],
      [
        'security/shared-limits.test.ts',
        'is counted by each process alone without Redis, never lifted, then shared again',
      ],
      ['pure/security/edges.test.ts', 'of IPv6 is the network that one customer has: a /64'],
    ],
    why: 'Streams and proofs are counted by each process alone. Counts go with their window, in Redis and in memory.',
  },
  {
    item: 53,
    rule: 'Time-outs, header sizes and connections are bounded on purpose',
    tests: [
      [hostile, 'the server closes 500 connections that send a byte now and then, in bounded time'],
      [hostile, 'of %s is 431, and the connection ends'],
      [hostile, 'of one address are bounded, so that others get in'],
      [hostile, 'of a client that asks much and never reads end, and hold little memory'],
      [hostile, 'that ask without an end in a row are ended, and hold little memory'],
    ],
  },
  {
    item: 54,
    rule: 'Lists, proofs and policies are bounded',
    tests: [
      ['service/action/read-actions.test.ts', '%s is refused'],
      [
        'service/tenant/list-bounds.test.ts',
        'of 200 held proposals of 255 kB end their pages at 2 MiB and lose none',
      ],
      ['service/tenant/list-bounds.test.ts', 'asked %i times at once at %s leave the process alive'],
      ['service/tenant/list-bounds.test.ts', 'of revisions of the %s of 250 kB end their pages at 2 MiB'],
      ['pure/gate/costly-judgement.test.ts', 'costs little with %s'],
      [
        'service/tenant/tenant-bounds.test.ts',
        'revisions of a tenant have so many bytes at most, and what is in force stays',
      ],
      ['service/policy/wrong-documents.test.ts', 'tells at most 100 problems of %s, and counts more'],
      [
        'service/policy/wrong-documents.test.ts',
        'is validated in slices, between which others have their turn',
      ],
      [
        'service/policy/wrong-documents.test.ts',
        'a query of more than 32 names is refused before it is read',
      ],
      ['service/policy/policy-verify.test.ts', 'caps the bounds, and names the one that was hit'],
      ['service/policy/policy-verify.test.ts', 'lets others have their turn'],
      [
        'service/policy/policy-replay.test.ts',
        'a replay under slow rules lets others have their turn, and ends with its client',
      ],
    ],
  },
  {
    item: 55,
    rule: 'Calls under way are bounded per tenant, and tenants take turns',
    tests: [
      [
        'service/execution/fairness.test.ts',
        'of 10,000 jobs does not hold up the single job of another: it is among the next',
      ],
      ['service/execution/fairness.test.ts', 'are bounded over all workers, and all are made'],
    ],
  },
  {
    item: 56,
    rule: 'Merkle trees after RFC 6962, signed; a verifier of its own finds every change',
    tests: [
      ['pure/audit/merkle.test.ts', 'has at size %i the root %s'],
      ['pure/audit/merkle.test.ts', 'has another root once a leaf is doubled at its end'],
      ['pure/audit/verify-mutations.test.ts', 'is noticed, whichever it is'],
      ['service/log/audit-tamper.test.ts', 'is found in an export by the offline verifier'],
    ],
  },
  {
    item: 57,
    rule: 'Signing keys are Ed25519, outside the database and the API; old public keys stay known',
    tests: [
      [compose, 'has no secret in it but by file, and gives each to whom it is for'],
      [
        'service/log/signing-keys.test.ts',
        'nothing that was signed before is lost to who trusts the old key',
      ],
      ['pure/runtime/secrets/signing-key.test.ts', 'is made once, for its owner alone'],
    ],
  },
  {
    item: 58,
    rule: 'The service cannot rewrite history in the database',
    tests: [
      ['store/guards.test.ts', 'gives no right to %s'],
      ['store/guards.test.ts', 'has a trigger against %s'],
      ['service/tenant/guards.test.ts', 'every trigger and every append-only table of the database is known'],
    ],
  },
  {
    item: 59,
    rule: 'Secrets in parameters are nowhere to be read',
    tests: [
      ['security/logs.test.ts', 'is in no log of either process, whatever becomes of it'],
      ['security/logs.test.ts', 'finds what a logger without redaction lets through, however it is written'],
      ['service/action/erasure.test.ts', 'has its events, roots and proofs, and nothing of what they say'],
      [
        'service/tenant/stored-secrets-nowhere.test.ts',
        'a stored secret is in the call that shows it, and in no other place',
      ],
      ['pure/runtime/sealed-secret.test.ts', 'is opened by the private key, and holds nothing of the value'],
    ],
    why: 'Parameters are in no log, metric, span or queue. They are stored and audited as they are: the catalog cannot mark one as secret, and a secret belongs into the environment of the workers or the store of the tenant, and the registration of an actuator names it. Erasure takes content away afterwards.',
  },
  {
    item: 60,
    rule: 'Logs are JSON, one line each; errors say nothing of the inside',
    tests: [
      ['pure/runtime/logger.test.ts', 'is one line of JSON with an ISO time, whatever was said'],
      ['pure/runtime/logger.test.ts', 'tells of an error what it is and where, and not what it was about'],
      ['service/execution/outage.test.ts', 'no answer and no log shows a statement or an address'],
    ],
  },
  {
    item: 61,
    rule: 'Packages: no install scripts, exact pins, digests, few, known licences',
    tests: [
      [dockerfile, 'runs no install script, and installs what the lock says'],
      ['architecture/lock.test.ts', 'package.json pins exact versions'],
      ['architecture/dependencies.test.ts', 'have a digest in the lock'],
      ['architecture/dependencies.test.ts', 'that have an install script are named, and none may run'],
      ['architecture/dependencies.test.ts', 'have licences that let anybody use them'],
    ],
    why: 'A delay of seven days for new releases (`min-release-age`) counts where packages are added, not where a lock is installed: see the section on dependencies. `npm audit` and `npm audit signatures` need the public registry and are steps of a release, not of the tests.',
  },
  {
    item: 62,
    rule: 'Hardened runtime: no __proto__, no eval, no root, nothing written',
    tests: [
      [dockerfile, '%s runs as a user that owns nothing, without a shell, and is asked how it is'],
      [compose, '%s is hardened'],
      [
        'deploy/production-tree.test.ts',
        'migrates as one login, runs as one that owns nothing, executes and signs',
      ],
      ['pure/security/edges.test.ts', 'is one that Node has: __proto__ cannot be read or set'],
      ['pure/security/source.test.ts', 'no text becomes a program'],
    ],
    why: 'The images start with `--disable-proto=throw`, and so does every process of the tests; frozen intrinsics are an experiment of Node and not used.',
  },
  {
    item: 63,
    rule: 'An error that nobody catches ends the process',
    tests: [['security/process.test.ts', 'ends the process, which does nothing more: %s']],
  },
  {
    item: 64,
    rule: 'Redis has a password, is not reachable from outside, evicts nothing, and is not believed',
    tests: [
      [compose, 'starts Redis with the password of its URL, without eviction, and with a file'],
      [compose, 'keeps Postgres and Redis on a network without a way out'],
      ['security/queue.test.ts', 'a forged message executes nothing, whatever it says'],
      ['platform/redis-faults.test.ts', 'FLUSHALL loses no work that waits, now or for its retry'],
    ],
  },
]
