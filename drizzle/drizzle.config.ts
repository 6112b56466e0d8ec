/** For drizzle-kit, which `npm run migration` installs with the packages of the tests: its types are not here. */
export default {
  dialect: 'postgresql',
  schema: './shared/store/schema/schema.ts',
  out: './drizzle',
}
