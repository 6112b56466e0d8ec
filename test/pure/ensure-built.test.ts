import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'

const run = promisify(execFile)
let checkout: string

/** Compiles by copying, and finds an error wherever a source says so. */
const compiler = `
  export async function transformWithOxc(code, path) {
    if (code.includes('error')) throw new Error('an error in ' + path)
    return { code, map: {} }
  }`

const npm = `
  import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
  appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n')
  rmSync('node_modules', { recursive: true, force: true })
  mkdirSync('node_modules/vite', { recursive: true })
  writeFileSync('node_modules/vite/package.json', '{ "type": "module", "exports": "./index.js" }')
  writeFileSync('node_modules/vite/index.js', ${JSON.stringify(compiler)})
  cpSync('package-lock.json', 'node_modules/.package-lock.json')`

/** A checkout with one source and one locked package, and stand-ins for npm and the compiler. */
beforeEach(async () => {
  checkout = await realpath(await mkdtemp(join(tmpdir(), 'action-gate-test-')))
  await mkdir(join(checkout, 'api', 'bin'), { recursive: true })
  await cp(join(repositoryRoot, 'api/bin/ensure-built.mjs'), join(checkout, 'api/bin/ensure-built.mjs'))
  await lockPackage('1.0.0')
  await write('api/one.ts', 'one = 1')
  await write('npm.mjs', npm)
})

afterEach(() => rm(checkout, { recursive: true, force: true }))

test('installs and compiles what is missing, and then leaves everything alone', async () => {
  const first = await ensureBuilt()
  expect(first.stdout).toBe('')
  expect(first.stderr).toContain('npm ci')
  expect(await readFile(join(checkout, 'dist/api/one.js'), 'utf8')).toContain('one = 1')
  await write('dist/api/one.js', 'untouched')
  expect(await ensureBuilt()).toEqual({ stdout: '', stderr: '' })
  expect(await readFile(join(checkout, 'dist/api/one.js'), 'utf8')).toBe('untouched')
  expect(await installs()).toBe(1)
})

test('takes what somebody installed by hand, and installs again when the lock changes', async () => {
  await run(process.execPath, ['npm.mjs'], { cwd: checkout })
  await ensureBuilt()
  expect(await installs()).toBe(1)
  await lockPackage('1.0.1')
  await ensureBuilt()
  expect(await installs()).toBe(2)
})

test('compiles again when a source changes, and removes the output of a lost source', async () => {
  await write('api/two.ts', 'two = 2')
  await ensureBuilt()
  await rm(join(checkout, 'api/two.ts'))
  await write('api/one.ts', 'one = 11')
  await ensureBuilt()
  expect(await readFile(join(checkout, 'dist/api/one.js'), 'utf8')).toContain('one = 11')
  expect((await readdir(join(checkout, 'dist/api'))).sort()).toEqual(['one.js', 'one.js.map'])
})

test('fails when a source does not compile, every time', async () => {
  await write('api/one.ts', 'error')
  const told = { code: 1, stdout: '', stderr: expect.stringContaining('an error in api/one.ts') }
  await expect(ensureBuilt()).rejects.toMatchObject(told)
  await expect(ensureBuilt()).rejects.toMatchObject(told)
})

test('does the work once when several start together, after one that was killed', async () => {
  const dead = run(process.execPath, ['--eval', ''])
  await dead
  await mkdir(join(checkout, '.cache'))
  await symlink(String(dead.child.pid), join(checkout, '.cache/ensure-built.lock'))
  const outputs = await Promise.all([ensureBuilt(), ensureBuilt(), ensureBuilt()])
  expect(outputs.filter(({ stderr }) => stderr.includes('] compiling 1 files')).length).toBe(1)
  expect(await installs()).toBe(1)
  expect(await readdir(join(checkout, '.cache'))).toEqual([])
})

test('installs and compiles for the tests when that is asked for, beside the product', async () => {
  await lockPackage('1.0.0', 'test/')
  await write('test/program.ts', 'program')
  await ensureBuilt()
  expect(await readdir(join(checkout, 'dist'))).not.toContain('test')
  await ensureBuilt('--tests')
  expect(await readFile(join(checkout, 'dist/test/program.js'), 'utf8')).toContain('program')
  expect(await readdir(join(checkout, 'dist/test/node_modules'))).toContain('vite')
  expect(await ensureBuilt()).toEqual({ stdout: '', stderr: '' })
  expect(await ensureBuilt('--tests')).toEqual({ stdout: '', stderr: '' })
})

test('bundles the pages again when what they are made of changes, and only then', async () => {
  await write(
    'api/bin/build-web.ts',
    "require('node:fs').appendFileSync('pages.log', process.argv[2] + '\\n')",
  )
  await write('api/web/lib/one.ts', 'one')
  await write('worker/one.ts', 'one')
  const bundled = async () => (await readFile(join(checkout, 'pages.log'), 'utf8')).trimEnd().split('\n')
  await ensureBuilt()
  await write('worker/one.ts', 'eleven')
  await ensureBuilt()
  expect(await bundled()).toEqual(['undefined'])
  await write('api/web/lib/one.ts', 'eleven')
  await ensureBuilt('--best-compression')
  await ensureBuilt()
  expect(await bundled()).toEqual(['undefined', '--best-compression'])
})

test('bundles the programs beside the pages, and tells of both where both fail', async () => {
  const meets = (other: string) => `
    const { existsSync, writeFileSync } = require('node:fs')
    const late = Date.now() + 10_000
    writeFileSync(require('node:path').basename(__filename), '')
    while (!existsSync('${other}') && Date.now() < late) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    process.stderr.write((existsSync('${other}') ? 'met ' : 'never met ') + '${other};')
    process.exitCode = 1`
  await write('api/bin/bundle-programs.ts', meets('build-web.js'))
  await write('api/bin/build-web.ts', meets('bundle-programs.js'))
  const failure = ensureBuilt().catch(({ code, stderr }: { code: number; stderr: string }) => ({
    code,
    stderr,
  }))
  expect(await failure).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the build of the programs failed'),
  })
  const { stderr } = await failure
  expect(stderr.match(/(never )?met [\w.-]+/g)?.sort()).toEqual([
    'met build-web.js',
    'met bundle-programs.js',
  ])
})

test('a flag that it does not know ends it before anything is done', async () => {
  const told = {
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('unknown flag --test; there are --tests'),
  }
  await expect(ensureBuilt('--test')).rejects.toMatchObject(told)
  expect(await readdir(checkout)).not.toContain('dist')
})

function ensureBuilt(...flags: string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, npm_execpath: join(checkout, 'npm.mjs') }
  return run(process.execPath, [join(checkout, 'api/bin/ensure-built.mjs'), ...flags], { cwd: tmpdir(), env })
}

async function installs(): Promise<number> {
  return (await readFile(join(checkout, 'npm.log'), 'utf8')).trimEnd().split('\n').length
}

async function lockPackage(version: string, place = ''): Promise<void> {
  await write(
    `${place}package-lock.json`,
    JSON.stringify({ packages: { '': {}, 'node_modules/a': { version } } }),
  )
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(join(checkout, path, '..'), { recursive: true })
  await writeFile(join(checkout, path), content)
}
