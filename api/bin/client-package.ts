import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'

interface Manifest {
  name: string
  version: string
  license: string
  type: string
  engines: { node: string }
}

/**
 * Builds the client as a package that npm installs from an address: compiled files, declarations and a manifest.
 * The same files give the same bytes.
 */
export async function clientPackage(root: string): Promise<Buffer> {
  const compiled = join(root, 'dist/shared/client')
  const names = (await readdir(compiled)).filter(name => /\.(js|d\.ts)$/.test(name)).sort()
  const { name, version, license, type, engines }: Manifest = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  )
  const manifest = {
    name,
    version,
    description: 'The client of Action Gate: propose an operation, wait for its end.',
    license,
    type,
    engines,
    sideEffects: false,
    exports: { './client': { types: './client/index.d.ts', import: './client/index.js' } },
  }
  const files = await Promise.all(
    names.map(async file => ({
      path: `package/client/${file}`,
      bytes: withoutMap(await readFile(join(compiled, file), 'utf8')),
    })),
  )
  const all = [
    { path: 'package/package.json', bytes: Buffer.from(JSON.stringify(manifest, null, 2)) },
    ...files,
  ]
  const archive = Buffer.concat([
    ...all.flatMap(({ path, bytes }) => entryOf(path, bytes)),
    Buffer.alloc(1_024),
  ])
  return gzipSync(archive, { level: constants.Z_BEST_COMPRESSION })
}

/** Removes source map links, because the sources are not in the package. */
function withoutMap(text: string): Buffer {
  return Buffer.from(text.replace(/^\/\/# sourceMappingURL=.*\n?/m, ''))
}

const blockBytes = 512

/** Writes a file of a tar archive (POSIX ustar): a header, and the content padded to whole blocks. */
function entryOf(path: string, bytes: Buffer): Buffer[] {
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(path, 0)
  header.write(octal(0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(bytes.length, 11), 124)
  header.write(octal(0, 11), 136)
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)} `, 148)
  return [header, bytes, Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes)]
}
