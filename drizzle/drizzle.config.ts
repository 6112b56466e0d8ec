import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: './shared/store/schema/schema.ts',
  out: './drizzle',
})
