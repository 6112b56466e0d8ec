import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { bundleWeb } from './bundle-web.ts'
import { clientPackage } from './client-package.ts'
import { writeDocs } from './docs/write-docs.ts'

/**
 * Writes the files for browsers into `dist/web`: the pages, the verifier and the client as one module each, the
 * notification worker, the client as a package, and compressed copies. `--best-compression`, for images, takes 1
 * second more, saves 10 % and prints the sizes, since a first start should print little else than its greeting.
 */
const folder = fileURLToPath(new URL('../../web/', import.meta.url))
const root = fileURLToPath(new URL('../../../', import.meta.url))
const source = (path: string) => fileURLToPath(new URL(`../../../api/${path}`, import.meta.url))
const best = process.argv.includes('--best-compression')
const brotliQuality = best ? constants.BROTLI_MAX_QUALITY : 5
const gzipLevel = best ? 9 : 6

const [verifier, client, worker] = await Promise.all([
  bundleWeb('api/web/audit-verifier'),
  bundleWeb('shared/client/index'),
  bundleWeb('api/web/notices-worker'),
  build({ configFile: source('bin/vite.config.ts') }),
])
await mkdir(folder, { recursive: true })
await writeFile(join(folder, 'audit-verifier.js'), verifier)
await writeFile(join(folder, 'client.js'), client)
await writeFile(join(folder, 'notices-worker.js'), worker)
await writeFile(join(folder, 'client.tgz'), await clientPackage(root))
await addLicenceOfIcons()
await writeDocs({ root, web: folder })
const entries = await readdir(folder, { withFileTypes: true, recursive: true })
await Promise.all(
  entries
    .filter(entry => entry.isFile() && /\.(css|html|js|json|md|svg|yml)$/.test(entry.name))
    .map(entry => writeCompressed(join(entry.parentPath, entry.name))),
)

/** Adds the licence of the icons, because the bundler lists only packages and the icons are in the sources. */
async function addLicenceOfIcons(): Promise<void> {
  const licences = join(folder, 'licences.md')
  const ofPackages = await readFile(licences, 'utf8')
  const ofIcons = await readFile(source('web/pictures/icons-licence.md'), 'utf8')
  await writeFile(licences, `${ofPackages}\n${ofIcons}`)
}

async function writeCompressed(path: string): Promise<void> {
  const bytes = await readFile(path)
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
    promisify(gzip)(bytes, { level: gzipLevel }),
  ])
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)])
  if (best) process.stderr.write(`${path}: ${bytes.length} bytes, ${gz.length} gzip, ${br.length} br\n`)
}
