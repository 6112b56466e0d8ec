import { config } from 'zod'

// Set before any schema exists, because zod would otherwise test whether the page's policy allows `Function`.
config({ jitless: true })
