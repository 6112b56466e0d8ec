import { config } from 'zod'

// Set before any schema exists, because zod would otherwise test if `Function` is allowed on this page.
config({ jitless: true })
