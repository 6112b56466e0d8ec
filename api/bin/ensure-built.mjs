#!/usr/bin/env node
/*
 * Prepares a fresh clone for `npm start` and `npm test`: installs the locked packages if they are missing or out of
 * date, and compiles and bundles changed files. It needs no packages itself and writes to stderr only.
 *
 *   --tests             also installs and compiles the tests (test/package.json)
 *   --bench             also installs the benchmark's packages (test/bench/package.json)
 *   --clients           also installs the frameworks that the client is tested with (test/clients/package.json)
 *   --best-compression  compresses the pages as images have them
 *
 * It compiles with vite's compiler, which removes types without checking them; `npm test` checks them.
 */

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const FLAGS = ['--tests', '--bench', '--clients', '--best-compression']
const PRODUCT_FOLDERS = ['api', 'worker', 'shared', 'drizzle']
/** The sources of the pages. The pages are built anew if one of these, the bundler or this script has changed. */
const PAGE_SOURCES =
  /^(api\/(web|docs)\/|shared\/|api\/bin\/(docs\/|(build-web|bundle-web|client-package|vite\.config)\.ts$)|package-lock\.json$)/
/** The sources that other programs import, so they are compiled with declarations. */
const PUBLISHED = /^shared\/client\//
const BUILD_STAMP = join(ROOT, 'dist', '.build-stamp.json')
const LOCK = join(ROOT, '.cache', 'ensure-built.lock')
const LOCK_WAIT_MS_MAX = 10 * 60_000

/** An error that the user can fix, so it is shown without a stack. */
class Trouble extends Error {}

try {
  await ensureBuilt(readFlags())
} catch (error) {
  if (!(error instanceof Trouble)) throw error
  say(error.message)
  process.exitCode = 1
}

function readFlags() {
  const given = process.argv.slice(2)
  const unknown = given.find(flag => !FLAGS.includes(flag))
  if (unknown !== undefined) throw new Trouble(`unknown flag ${unknown}; there are ${FLAGS.join(', ')}`)
  const tests = given.includes('--tests')
  return {
    places: [
      '',
      ...(tests ? ['test'] : []),
      ...(given.includes('--bench') ? ['test/bench'] : []),
      ...(given.includes('--clients') ? ['test/clients'] : []),
    ],
    folders: [...PRODUCT_FOLDERS, ...(tests ? ['test'] : [])],
    compression: given.includes('--best-compression') ? 'best' : 'quick',
  }
}

async function ensureBuilt(wanted) {
  if (wanted.places.every(isInstalled) && isBuilt(wanted)) return
  takeLock()
  try {
    for (const place of wanted.places) if (!isInstalled(place)) await install(place)
    if (!isBuilt(wanted)) await build(wanted)
  } finally {
    rmSync(LOCK, { force: true })
  }
}

/** Returns true if a node_modules folder matches its package-lock.json, even if another program installed it. */
function isInstalled(place) {
  const wanted = readLock(place)
  const stamp = installStamp(place)
  if (readIfThere(stamp) === wanted.digest) return true
  const installed = readIfThere(join(ROOT, place, 'node_modules', '.package-lock.json'))
  if (installed === null) return false
  if (!satisfies(JSON.parse(installed).packages, JSON.parse(wanted.text).packages)) return false
  writeFileSync(stamp, wanted.digest)
  return true
}

function installStamp(place) {
  return join(ROOT, place, 'node_modules', '.action-gate-lock')
}

function readLock(place) {
  const path = join(place, 'package-lock.json')
  const text = readIfThere(join(ROOT, path))
  if (text === null) throw new Trouble(`${path} is missing: this is no complete checkout`)
  return { text, digest: digestOf(text) }
}

function satisfies(installed, wanted) {
  const withoutDevelopment =
    process.env.NODE_ENV === 'production' || /\bdev\b/.test(process.env.npm_config_omit ?? '')
  return Object.entries(wanted).every(([path, entry]) => {
    const found = installed[path]
    if (found !== undefined) return found.version === entry.version
    const forSomeMachinesOnly = entry.optional || entry.devOptional || entry.peer || entry.extraneous
    return path === '' || forSomeMachinesOnly || (entry.dev && withoutDevelopment)
  })
}

async function install(place) {
  say(`installing the locked packages${place && ` of ${place}`}: npm ci`)
  const npm = process.env.npm_execpath
  const [program, ...parameters] = npm ? [process.execPath, npm] : ['npm']
  await run({ program, parameters: [...parameters, 'ci'], name: 'npm ci', place })
  writeFileSync(installStamp(place), readLock(place).digest)
}

function isBuilt({ folders, compression }) {
  const stamp = readStamp()
  const { sources, pages } = readSources(folders)
  const { changed, gone } = compare(stamp.sources, sources, folders)
  return changed.length + gone.length === 0 && arePagesBuilt(stamp, pages, compression)
}

function arePagesBuilt(stamp, pages, compression) {
  return stamp.pages === pages && (compression === 'quick' || stamp.compression === 'best')
}

async function build({ folders, compression }) {
  const before = readStamp()
  const { sources, pages } = readSources(folders)
  const { changed, gone } = compare(before.sources, sources, folders)
  for (const path of gone)
    for (const suffix of ['.js', '.js.map', '.d.ts']) rmSync(outputOf(path, suffix), { force: true })
  await compile(changed)
  if (folders.includes('test')) linkPackagesOfTests()
  const ofProduct = [...changed, ...gone].some(path => isIn(PRODUCT_FOLDERS, path))
  const ofPages = !arePagesBuilt(before, pages, compression)
  const [programsEnd, pagesEnd] = await Promise.allSettled([
    ofProduct && runBuilt('bundle-programs', 'the programs', []),
    ofPages && runBuilt('build-web', 'the pages', compression === 'best' ? ['--best-compression'] : []),
  ])
  if (programsEnd.status === 'rejected') throw programsEnd.reason
  const kept = Object.entries(before.sources).filter(([path]) => !isIn(folders, path))
  const stamp = { ...before, sources: { ...Object.fromEntries(kept), ...sources } }
  if (ofPages && pagesEnd.status === 'fulfilled') Object.assign(stamp, { pages, compression })
  writeFileSync(BUILD_STAMP, JSON.stringify(stamp))
  if (pagesEnd.status === 'rejected') throw pagesEnd.reason
}

/** Removes the types of each source and writes it with its map, as `tsc` would with tsconfig.json. */
async function compile(paths) {
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  if (paths.length === 0) return
  say(`compiling ${paths.length} files`)
  const { transformWithOxc } = await import('vite').catch(error => {
    throw new Trouble(
      `vite is needed to compile and cannot be loaded, run "npm ci --include=dev": ${error.message}`,
    )
  })
  const typescript = { onlyRemoveTypeImports: true, rewriteImportExtensions: 'rewrite' }
  const options = { target: 'es2023', sourcemap: true, typescript }
  const published = { ...options, typescript: { ...typescript, declaration: {} } }
  const results = await Promise.allSettled(
    paths.map(async path => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      const isPublished = PUBLISHED.test(path)
      const made = await transformWithOxc(text, path, isPublished ? published : options)
      const { code, map, declaration } = made
      const output = outputOf(path, '.js')
      map.sources = [relative(dirname(output), join(ROOT, path))]
      mkdirSync(dirname(output), { recursive: true })
      writeFileSync(output, `${code}\n//# sourceMappingURL=${output.slice(dirname(output).length + 1)}.map\n`)
      if (isPublished) writeFileSync(outputOf(path, '.d.ts'), withoutSuffixes(declaration))
      writeFileSync(`${output}.map`, JSON.stringify({ ...map, sourcesContent: undefined }))
    }),
  )
  const failures = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
  for (const { message } of failures) say(message)
  if (failures.length > 0) throw new Trouble(`${failures.length} files do not compile, see above`)
}

/** Makes declarations import compiled files, because the sources import sources. */
function withoutSuffixes(declaration) {
  return declaration.replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"')
}

function outputOf(path, suffix) {
  return join(ROOT, 'dist', path.replace(/\.ts$/, suffix))
}

/** Links packages beside compiled tests, because Node looks for packages from the program's own folder. */
function linkPackagesOfTests() {
  for (const place of ['test', 'test/bench']) {
    const link = join(ROOT, 'dist', place, 'node_modules')
    if (linkTarget(link) !== null) continue
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(relative(dirname(link), join(ROOT, place, 'node_modules')), link)
  }
}

async function runBuilt(name, what, flags) {
  const program = join(ROOT, 'dist', 'api', 'bin', `${name}.js`)
  if (statIfThere(program) === null) return
  say(`bundling ${what}`)
  await run({ program: process.execPath, parameters: [program, ...flags], name: `the build of ${what}` })
}

function readSources(folders) {
  const compiler = stateOf('node_modules/vite/package.json') + stateOf('api/bin/ensure-built.mjs')
  const files = folders.flatMap(listFiles)
  const compiled = files.filter(path => /\.ts$/.test(path) && !/\.(d|test)\.ts$|^api\/web\/.+\//.test(path))
  const ofPages = [...files, 'package-lock.json'].filter(path => PAGE_SOURCES.test(path))
  return {
    sources: Object.fromEntries(compiled.map(path => [path, stateOf(path) + compiler])),
    pages: digestOf(ofPages.map(path => `${path} ${stateOf(path)}\n`).join('') + compiler),
  }
}

function compare(before, now, folders) {
  return {
    changed: Object.keys(now).filter(path => before[path] !== now[path]),
    gone: Object.keys(before).filter(path => isIn(folders, path) && !(path in now)),
  }
}

function isIn(folders, path) {
  return folders.includes(path.slice(0, path.indexOf('/')))
}

function stateOf(path) {
  const found = statIfThere(join(ROOT, path))
  return `${found?.size} ${found?.mtimeMs};`
}

function listFiles(directory) {
  const entries = unlessMissing(() => readdirSync(join(ROOT, directory), { withFileTypes: true })) ?? []
  return entries.flatMap(entry => {
    const path = `${directory}/${entry.name}`
    if (!entry.isDirectory()) return [path]
    return entry.name === 'node_modules' ? [] : listFiles(path)
  })
}

/** A stamp in another form comes from another release of this program, so everything is built again. */
function readStamp() {
  const stamp = JSON.parse(readIfThere(BUILD_STAMP) ?? '{}')
  return stamp.sources === undefined ? { sources: {} } : stamp
}

function digestOf(text) {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Takes a lock: a link whose target is the holder's process id, since it appears in one step and is never half
 * made.
 */
function takeLock() {
  mkdirSync(dirname(LOCK), { recursive: true })
  for (let waited = 0; !tryLock(); waited += 100) {
    if (waited === 0) say('waiting for another process that is installing or compiling')
    if (waited >= LOCK_WAIT_MS_MAX)
      throw new Trouble(`it did not end; if no such process runs, remove ${LOCK}`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  }
}

function tryLock() {
  try {
    symlinkSync(String(process.pid), LOCK)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    const holder = linkTarget(LOCK)
    if (holder !== null && !isAlive(holder)) breakLock(holder)
    return false
  }
}

/** Breaks the lock of a dead process. If another process has taken it meanwhile, its lock is restored. */
function breakLock(deadHolder) {
  const aside = `${LOCK}.${process.pid}`
  try {
    renameSync(LOCK, aside)
  } catch (error) {
    if (error.code === 'ENOENT') return
    throw error
  }
  if (linkTarget(aside) === deadHolder) rmSync(aside)
  else renameSync(aside, LOCK)
}

function isAlive(pid) {
  if (Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

async function run({ program, parameters, name, place = '' }) {
  const child = spawn(program, parameters, { cwd: join(ROOT, place), stdio: ['ignore', 2, 2] })
  const [status, signal] = await once(child, 'exit').catch(error => {
    throw new Trouble(`${name} could not be started: ${error.message}`)
  })
  if (status !== 0) throw new Trouble(`${name} failed (${signal ?? `status ${status}`}), see above`)
}

function readIfThere(path) {
  return unlessMissing(() => readFileSync(path, 'utf8'))
}

function statIfThere(path) {
  return unlessMissing(() => statSync(path))
}

function linkTarget(path) {
  return unlessMissing(() => readlinkSync(path))
}

function unlessMissing(read) {
  try {
    return read()
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  }
}

function say(text) {
  process.stderr.write(`[action-gate] ${text}\n`)
}
