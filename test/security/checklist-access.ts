import type { Item } from './checklist-item.ts'

const authentication = 'service/account/authentication.test.ts'
const keys = 'service/tenant/keys.test.ts'
const secret = 'pure/runtime/secrets/secret.test.ts'
const approvals = 'service/approval/approvals.test.ts'
const isolation = 'service/action/isolation.test.ts'

/** Items 1 to 24: keys, approvers, tenants. */
export const accessItems: readonly Item[] = [
  {
    item: 1,
    rule: 'Keys have 160 random bits or more, a checksum and a prefix that scanners know',
    tests: [
      [secret, 'has 256 random bits and a checksum, and only its hash is kept'],
      [secret, 'with any one character mistyped is refused without a look-up'],
      [secret, 'keys say their scope'],
    ],
  },
  {
    item: 2,
    rule: 'Only a hash of a secret is stored, looked up by id and compared in constant time',
    tests: [
      [secret, 'is compared by its whole digest'],
      [
        'service/tenant/secrets-nowhere.test.ts',
        'the secret of a key is in the answer that issued it, and in no other place',
      ],
    ],
  },
  {
    item: 3,
    rule: 'An unknown key costs what a wrong secret costs, and is answered alike',
    tests: [
      [authentication, 'unknown key, wrong secret and malformed key get one answer but for request ids'],
      ['security/timing.test.ts', 'a key that nobody has takes as long as a wrong secret'],
    ],
    why: 'A revoked or expired key is told so, as the contract asks; only to whoever shows its secret.',
  },
  {
    item: 4,
    rule: '401 only without a credential; two different ones are 400',
    tests: [
      [authentication, 'two different credentials are refused: %s'],
      [authentication, '401 says how to authenticate'],
    ],
  },
  {
    item: 5,
    rule: 'Every route with every kind of credential',
    tests: [
      [authentication, 'with the key: %s'],
      ['security/session-on-key-routes.test.ts', 'is no key on $route'],
      ['service/account/hosted-rows.test.ts', 'asks who it is of %s'],
      ['service/account/hosted-rows.test.ts', 'refuses %s beside a session'],
      [
        'service/account/hosted-rows.test.ts',
        'knows another owner’s application as little as one that never was',
      ],
    ],
  },
  {
    item: 6,
    rule: 'The admin key is compared in constant time, is good on admin routes only, and is printed once',
    tests: [
      [authentication, 'an admin key is no bearer, and a key in the URL is none at all'],
      [
        'service/edge/service-process.test.ts',
        'prints the key, once, and nothing else; the log is JSON on standard error',
      ],
    ],
    why: 'The flag makes a further admin key each time it is given: whoever starts the process can read the database anyway.',
  },
  {
    item: 7,
    rule: 'A revocation counts from the next request on, on every process',
    tests: [
      [
        'platform/api-faults.test.ts',
        'a key that one process revokes is refused by the other from the next request on',
      ],
      [keys, 'is effective at the next request on every process'],
      [
        'service/action/stream.test.ts',
        'is cut off when the key is revoked, and is told so when it comes again',
      ],
      [
        'service/account/ended-while-asking.test.ts',
        'an admin key that ends while it asks allows no host of this machine',
      ],
      ['store/held-transactions.test.ts', 'a key is revoked after the change that holds it, not during it'],
    ],
    why: 'What was admitted before writes nothing after it. Keys with a database of their own are read just before a write. A proof or an import that writes nothing is still answered.',
  },
  {
    item: 8,
    rule: 'Keys are never in URLs',
    tests: [[authentication, 'an admin key is no bearer, and a key in the URL is none at all']],
  },
  {
    item: 9,
    rule: 'Minting is an event of the audit; a secret is shown once',
    tests: [
      [
        'service/edge/config-stream.test.ts',
        'each change of a configuration is one event, which independent code reads back',
      ],
      [keys, 'is shown once: no list, no row and no log has it again'],
    ],
  },
  {
    item: 10,
    rule: 'Agents do not approve, approvers do not propose',
    tests: [[authentication, 'with the key: %s']],
  },
  {
    item: 11,
    rule: 'Nobody approves what they proposed',
    tests: [
      [authentication, 'with the key: %s'],
      [approvals, 'records the authenticated approver and the note, whoever the body says it was'],
    ],
    why: 'A key has one scope, so the key that proposed cannot approve. That one person holds two keys, the service cannot know; both are in the audit by name.',
  },
  {
    item: 12,
    rule: 'An approval is bound to what was seen',
    tests: [
      [
        'service/action/cancel.test.ts',
        'names what was approved, and is refused for a proposal that was not the seen one',
      ],
      ['guards/deciding.test.ts', 'is not executed: the stored proposal was changed'],
      ['service/approval/hosted-approvals.test.ts', 'approves nothing but what was shown'],
    ],
  },
  {
    item: 13,
    rule: 'What is held expires, and is not approved afterwards',
    tests: [
      [
        'service/approval/approval-ttl.test.ts',
        'each tenant has its own time to live, after which a held action is denied',
      ],
      ['guards/deciding.test.ts', 'a hold that is over cannot be decided any more, though nobody swept it'],
    ],
  },
  {
    item: 14,
    rule: 'The approver sees raw parameters, odd characters marked, claims of the agent apart, and no markup',
    tests: [
      ['pure/web/suspicious.test.ts', 'nothing is lost and nothing is added, whatever the text'],
      ['browser/every-page.test.ts', 'pages of an owner whose application has hostile names everywhere'],
      ['pure/security/source.test.ts', 'no text becomes markup'],
    ],
  },
  {
    item: 15,
    rule: 'The claimed risk is only ever raised',
    tests: [
      [
        'pure/gate/catalog-properties.test.ts',
        'decides by the higher of claim and minimum, and says which it was',
      ],
      ['pure/gate/catalog-properties.test.ts', 'never loosens when a minimum risk is raised'],
    ],
  },
  {
    item: 16,
    rule: 'Approvers are not flooded',
    tests: [
      ['service/edge/limits.test.ts', 'counts per key, and says in every answer what is left'],
      ['service/execution/freezes.test.ts', 'of a key denies what that key proposes'],
    ],
    why: 'There is a limit of requests per key, a metric of what is held and its alert, and a freeze for one key; there is no bound on how many actions a key may have held.',
  },
  {
    item: 17,
    rule: 'What cannot be decided or recorded is refused, never allowed',
    tests: [
      [
        'service/execution/outage.test.ts',
        'the process lives, is not ready, and says 503 to whoever needs it',
      ],
      ['store/ledger.test.ts', 'made with rules that are no longer in force is stale and writes nothing'],
      ['security/logs.test.ts', 'is not told with an error that nobody expected either'],
    ],
  },
  {
    item: 18,
    rule: 'Every query is scoped to a tenant, and the database keeps tenants apart by itself',
    tests: [
      ['store/row-level-security.test.ts', 'every table with a tenant has the wall'],
      ['store/row-level-security.test.ts', 'is tried on every table that has one'],
      [
        'store/row-level-security.test.ts',
        'owns nothing, may not bypass, and cannot become the owner or take the wall down',
      ],
      ['guards/first-wall.test.ts', 'is read by its own tenant alone'],
    ],
    why: 'Ids of actions are random and unique over all tenants, so they are the key alone; the tenant is in every query and in every policy of the database.',
  },
  {
    item: 19,
    rule: 'A foreign id answers as a random one, also in time',
    tests: [
      [isolation, '%s %s answers byte for byte as one that never was'],
      ['security/timing.test.ts', "another tenant's action takes as long as one that never was"],
    ],
    why: 'Medians of rounds of 2 × 300 requests that take turns, within 5 % in one of eight rounds: 5,000 each would take minutes.',
  },
  {
    item: 20,
    rule: 'Proposal ids are unique in a tenant only',
    tests: [
      [isolation, 'takes no proposal id from us'],
      ['service/action/submit.test.ts', 'of another tenant is another action'],
    ],
  },
  {
    item: 21,
    rule: 'Cursors, counts, metrics and errors tell nothing of other tenants',
    tests: [
      [isolation, 'is in none of our lists, also not by its cursor'],
      [
        'service/webhook/metrics.test.ts',
        'labels have few values; but for failing systems they name no tenant or action',
      ],
      ['service/action/routing.test.ts', '/metrics counts requests by their route, and names nobody'],
    ],
  },
  {
    item: 22,
    rule: 'Ids are random, not serial',
    tests: [[secret, 'actions sort by the time they were made and are never the same']],
    why: 'Ten characters of an id are its time, 26 are 130 random bits.',
  },
  {
    item: 23,
    rule: 'Nobody learns which addresses and tenants there are',
    tests: [
      ['service/account/hosted-accounts.test.ts', 'answers an address that has an account like any other'],
      [
        'service/account/hosted-accounts.test.ts',
        'tells wrong passwords, unknown addresses and impossible passwords alike',
      ],
      ['service/tenant/tenants.test.ts', 'whose id is taken is a conflict, and the first stays as it was'],
    ],
    why: 'A conflict of tenant ids is told to administrators only.',
  },
  {
    item: 24,
    rule: 'The queue holds names of wake-ups only',
    tests: [
      [
        'security/queue.test.ts',
        'holds names of wake-ups and counts by key or address: no parameter, no tenant',
      ],
    ],
  },
]
