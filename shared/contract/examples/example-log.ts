import type { AuditKey, AuditKeyList, LogCheckpoint, LogEntries, LogInclusion } from '../action/audit-log.ts'

/** A signing key for the examples. It is public, so its signatures prove nothing. */
const checkpoint =
  'gate.example.org/log/log_k3v7qz2mw4x5ya6b\n8\nwtSpgG72tKk4CgoJ1EDo2ENtmholGP1TgmjShY6ZIiQ=\n\n— gate.example.org b0aepyXijrKCqoKVop4mkEI7qoThsMHPiGxG5pdPFl8nnJ3roReuRc6lcOEk2rtFQ3tHAyy446c7wf/TntSsTt4JFw4=\n'

export const exampleStatement =
  'gate.example.org/action/web-shop/act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf\n5\nMH+qDUFOVgyE671gy90/5QKEYsqMRarEK0uafPKF7Ww=\n\n— gate.example.org b0aep+x8D/jxhxUMjfpxqK9lCM66vMs7YmJAGlkY46h4Tsp00lV0hXFEEQhsYwzM3NsjioygFcAhBxWcOkE02BUiYwA=\n'

export const exampleAuditKey: AuditKey = {
  key_id: '6f469ea7',
  name: 'gate.example.org',
  status: 'active',
  vkey: 'gate.example.org+6f469ea7+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs',
  spki_pem:
    '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=\n-----END PUBLIC KEY-----\n',
  jwk: {
    kty: 'OKP',
    crv: 'Ed25519',
    x: '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw',
  },
  added_at: '2026-11-21T01:04:57.900Z',
  ended_at: null,
  first_log_size: 3,
  last_log_size: 8,
}

export const exampleAuditKeys: AuditKeyList = { log_id: 'log_k3v7qz2mw4x5ya6b', keys: [exampleAuditKey] }

export const exampleLog = {
  origin: 'gate.example.org/log/log_k3v7qz2mw4x5ya6b',
  checkpoint,
  entries: [
    {
      index: 3,
      proof: [
        'BMsXlFJ+Otsh4wZzDgUXhyZJ0ZfAMCfi+DBNzgxhn9Q=',
        'Ne4R+ZDWby+52Dz5u9MZ3jTcmFlBuTx2NCd5XN6nPfA=',
        'yK4FEGnT8Nnq5a1qW38KJTxFA359Yql3jqpPnhRPDkI=',
      ],
    },
    {
      index: 4,
      proof: [
        'Qya8Qm6atxyr5e6giPIlPgRIoiHPrQ3Lzb7KeqwDIEc=',
        '3wKzLSqz9lqYaux+s4gDQX2zvfxDGBnwdjjWDc7oWJg=',
        'iLg1opu9VwXg/C0wjcBrQD49ZTHnVAg75NaS2n9rulY=',
      ],
    },
    {
      index: 5,
      proof: [
        'AskkKTagCU3mISca9hVDeqFsBkz2gbWd08jEOxDvLkQ=',
        '3wKzLSqz9lqYaux+s4gDQX2zvfxDGBnwdjjWDc7oWJg=',
        'iLg1opu9VwXg/C0wjcBrQD49ZTHnVAg75NaS2n9rulY=',
      ],
    },
    {
      index: 6,
      proof: [
        't1HpcJLrqcvtQFEiZxxkNr7dShDApK9TGVW1BNBqK5E=',
        'lPABkgr5gXv5Ws0uab3dtyFvZNm9cozvwU/CKZ9KQsQ=',
        'iLg1opu9VwXg/C0wjcBrQD49ZTHnVAg75NaS2n9rulY=',
      ],
    },
    {
      index: 7,
      proof: [
        '64czJOBlWrf8bmAZe12BDev8X5prIVhxb6OnTkx1ax4=',
        'lPABkgr5gXv5Ws0uab3dtyFvZNm9cozvwU/CKZ9KQsQ=',
        'iLg1opu9VwXg/C0wjcBrQD49ZTHnVAg75NaS2n9rulY=',
      ],
    },
  ],
}

export const exampleCheckpoint: LogCheckpoint = {
  origin: exampleLog.origin,
  size: 8,
  checkpoint,
  signed_at: '2026-11-21T01:04:58.120Z',
  consistency: null,
}

export const exampleInclusion: LogInclusion = {
  index: 3,
  size: 8,
  leaf_hash: 'sha256:7b1039d1fc5c136527c940bdc2081f0d0e81ec671e1dde8555c1a4eda63bd0eb',
  proof: [
    'BMsXlFJ+Otsh4wZzDgUXhyZJ0ZfAMCfi+DBNzgxhn9Q=',
    'Ne4R+ZDWby+52Dz5u9MZ3jTcmFlBuTx2NCd5XN6nPfA=',
    'yK4FEGnT8Nnq5a1qW38KJTxFA359Yql3jqpPnhRPDkI=',
  ],
  checkpoint,
}

export const exampleEntries: LogEntries = {
  size: 8,
  entries: [
    {
      index: 3,
      stream: 'action/act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf',
      sequence: 0,
      leaf_hash: exampleInclusion.leaf_hash,
    },
  ],
  next_from: 4,
}
