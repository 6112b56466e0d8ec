import type { Item } from './checklist-item.ts'

const input = 'service/action/proposal-input.test.ts'
const strict = 'pure/canon/strict-json.test.ts'
const http = 'pure/actuator/http-actuator.test.ts'
const egress = 'pure/actuator/egress-guard.test.ts'

/** Items 25 to 42: what comes in, and what goes out. */
export const inputItems: readonly Item[] = [
  {
    item: 25,
    rule: 'Bodies are bounded before they are parsed, and are JSON in UTF-8',
    tests: [
      [input, 'beyond the limit is refused (chunked: %s)'],
      [input, 'as %s is refused'],
      [input, 'compressed with %s is refused'],
    ],
  },
  {
    item: 26,
    rule: 'Depth and size of values are bounded, without recursion',
    tests: [
      [input, 'deep nesting is refused, however deep'],
      [input, 'parameters may be 32 levels deep and hold 2,000 values, and no more'],
    ],
    why: 'Texts and lists inside parameters have no bound of their own: the body has one (256 KiB), and the values are counted.',
  },
  {
    item: 27,
    rule: 'A name given twice is refused',
    tests: [
      [strict, 'covers every code'],
      [strict, 'agrees with JSON.parse, or names a loss that a naive reader finds too'],
      [input, '%s inside a proposal is refused with its path'],
    ],
  },
  {
    item: 28,
    rule: 'Names that objects inherit do nothing',
    tests: [
      [strict, 'makes ordinary objects that own what the text says'],
      ['pure/gate/judge-parameters.test.ts', 'names that every object inherits are not there'],
      ['pure/gate/read-policy.test.ts', '__proto__ as the name of %s'],
      ['pure/security/edges.test.ts', 'is one that Node has: __proto__ cannot be read or set'],
    ],
    why: '`__proto__` is refused everywhere; `constructor` and `prototype` are ordinary names, read as own members only.',
  },
  {
    item: 29,
    rule: 'Numbers are finite and exact, and limits are for numbers only',
    tests: [
      [strict, 'gives 0 for -0'],
      [strict, 'covers every code'],
      ['pure/gate/cases.test.ts', '$name'],
      ['pure/gate/properties.test.ts', 'agrees with it on constrained parameters'],
    ],
  },
  {
    item: 30,
    rule: 'Texts are well-formed, without NUL; identifiers are of few characters; nothing is normalized',
    tests: [
      [strict, 'covers every code'],
      [input, 'takes every character that an identifier may have, and texts in any script'],
      [input, '%s may not be %s'],
      ['store/ledger.test.ts', 'keeps the exact texts, whatever characters they hold'],
    ],
  },
  {
    item: 31,
    rule: 'Fields that nobody knows are refused',
    tests: [
      [input, 'an unknown field %s is named'],
      ['contract/agreement.test.ts', '$operationId, every change of its examples'],
    ],
  },
  {
    item: 32,
    rule: 'A parameter named a.b is not the member b of a',
    tests: [['pure/gate/value-at.test.ts', '%s']],
  },
  {
    item: 33,
    rule: 'Comparisons are deep and by type; what is required and missing denies',
    tests: [
      ['pure/gate/properties.test.ts', 'agrees with a naive reading of the policy document'],
      ['pure/gate/fixture.test.ts', '$name'],
    ],
  },
  {
    item: 34,
    rule: 'No pattern can be made to take long',
    tests: [
      ['pure/gate/linear-pattern.test.ts', '%s takes time in proportion to the text'],
      [
        'pure/gate/judge-parameters.test.ts',
        'ends, and refuses, rather than match long texts against large patterns',
      ],
      [
        'pure/security/source.test.ts',
        'nest no unbounded repetition and refer back to nothing: they take linear time',
      ],
    ],
    why: 'Catalogs may hold patterns: they run on RE2, with a bound on steps.',
  },
  {
    item: 35,
    rule: 'A query parameter given twice is refused',
    tests: [
      ['contract/agreement.test.ts', '$id $parameter.name'],
      ['service/approval/approvals.test.ts', '%s is refused'],
    ],
  },
  {
    item: 36,
    rule: 'One canonical form for hash, comparison and audit',
    tests: [
      [
        'pure/canon/canonical-json.test.ts',
        'comes back from its text, and the text is its own canonical form',
      ],
      ['pure/canon/canonical-json.test.ts', 'has the text that the package canonicalize gives'],
    ],
  },
  {
    item: 37,
    rule: 'Where an actuator calls is registered; parameters cannot change host or path',
    tests: [
      [http, 'is what the templates say, with the key'],
      [http, 'is not sent with %s in the path'],
      [http, 'is not sent with a header that would hold a second one'],
    ],
  },
  {
    item: 38,
    rule: 'Private addresses are refused inside the connection, on the address that is used',
    tests: [
      [egress, 'refuses %s'],
      [egress, 'is refused where the name resolves to %s'],
      [egress, 'is made to the very address that was checked: a second answer is not asked for'],
    ],
  },
  {
    item: 39,
    rule: 'Redirects are not followed',
    tests: [[http, '%i says nothing']],
  },
  {
    item: 40,
    rule: 'Calls are bounded in time and size, without proxies, with TLS verified',
    tests: [
      [http, 'without an answer in time says nothing'],
      [http, 'with more than may be read says nothing, and does not read it'],
      [http, 'is not unpacked'],
      [http, 'because nobody vouches for the certificate may be tried again'],
      [
        'pure/security/source.test.ts',
        'nothing verifies TLS less than Node, and no proxy comes from the environment',
      ],
    ],
  },
  {
    item: 41,
    rule: 'Secrets of actuators are references, filled in at the call',
    tests: [
      [
        'service/execution/real-actuators.test.ts',
        'is the request that was registered, with its key and its secret',
      ],
      ['service/execution/lacking-worker.test.ts', 'starts, and lets only the jobs of that actuator wait'],
      [http, 'does not tell the secrets that it echoes'],
    ],
    why: 'Registrations, and so references, are per tenant; the variables are of the worker, and only administrators register.',
  },
  {
    item: 42,
    rule: 'What a downstream answers is not believed',
    tests: [
      ['service/execution/real-actuators.test.ts', 'answers %s ends in %s and disturbs nobody'],
      ['pure/actuator/invoke.test.ts', 'cuts an endless message'],
      ['pure/actuator/mcp-actuator.test.ts', 'is not called when the server has swapped it'],
    ],
  },
]
