import { config } from 'zod'

// Before any schema is made: no code from texts, not even to see whether a page's policy would let it.
config({ jitless: true })
