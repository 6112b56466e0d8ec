#!/usr/bin/env node
// Makes `npm start` and `npm test` work in a fresh clone: installs the locked dependencies when they are missing
// or out of date, and compiles and bundles when a source has changed. Plain Node, no dependencies, writes to stderr only.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
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
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const SOURCE_DIRECTORIES = ['api', 'worker', 'shared', 'drizzle', 'test']
const SOURCE_FILE = /\.(ts|tsx|sql|css|html|svg)$/
const INSTALL_STAMP = join(ROOT, 'node_modules', '.action-gate-lock')
const BUILD_STAMP = join(ROOT, 'dist', '.build-stamp.json')
const LOCK = join(ROOT, '.cache', 'ensure-built.lock')
const LOCK_WAIT_MS_MAX = 10 * 60_000

/** Something the person at the keyboard can act on: told without a stack. */
class Trouble extends Error {}

try {
  ensureBuilt()
} catch (error) {
  if (!(error instanceof Trouble)) throw error
  say(error.message)
  process.exitCode = 1
}

function ensureBuilt() {
  if (isInstalled() && isBuilt()) return
  takeLock()
  try {
    if (!isInstalled()) install()
    if (!isBuilt()) build()
  } finally {
    rmSync(LOCK, { force: true })
  }
}

/** True when node_modules holds what package-lock.json asks for, whoever put it there. */
function isInstalled() {
  const wanted = readLock()
  if (readIfThere(INSTALL_STAMP) === wanted.digest) return true
  const installed = readIfThere(join(ROOT, 'node_modules', '.package-lock.json'))
  if (installed === null) return false
  if (!satisfies(JSON.parse(installed).packages, JSON.parse(wanted.text).packages)) return false
  writeFileSync(INSTALL_STAMP, wanted.digest)
  return true
}

function readLock() {
  const text = readIfThere(join(ROOT, 'package-lock.json'))
  if (text === null) throw new Trouble('package-lock.json is missing: this is no complete checkout')
  return { text, digest: createHash('sha256').update(text).digest('hex') }
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

function install() {
  say('installing the locked dependencies: npm ci')
  const npm = process.env.npm_execpath
  const [program, ...parameters] = npm ? [process.execPath, npm] : ['npm']
  run(program, [...parameters, 'ci'], 'npm ci')
  writeFileSync(INSTALL_STAMP, readLock().digest)
}

function isBuilt() {
  return readStamp()?.digest === sources().digest
}

function build() {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  if (statIfThere(compiler) === null)
    throw new Trouble('TypeScript is needed to compile and not installed: run "npm ci --include=dev"')
  say('compiling')
  const { digest, files } = sources()
  removeOutputsOfRemoved(files)
  run(process.execPath, [compiler, '-p', join(ROOT, 'tsconfig.json')], 'the TypeScript compiler')
  bundlePages()
  writeFileSync(BUILD_STAMP, JSON.stringify({ digest, files }))
}

/** The pages for browsers, by a program that was just compiled. */
function bundlePages() {
  const program = join(ROOT, 'dist', 'api', 'bin', 'build-web.js')
  if (statIfThere(program) === null) return
  say('bundling the pages')
  run(process.execPath, [program], 'the build of the pages')
}

/** What the output depends on: each source with its size and time, so that removals and renames count too. */
function sources() {
  const files = SOURCE_DIRECTORIES.flatMap(listSources)
  const inputs = [...files, 'tsconfig.json', join('node_modules', 'typescript', 'package.json')]
  const hash = createHash('sha256')
  for (const file of inputs) {
    const found = statIfThere(join(ROOT, file))
    hash.update(`${file} ${found?.size} ${found?.mtimeMs}\n`)
  }
  return { digest: hash.digest('hex'), files }
}

function listSources(directory) {
  const entries = unlessMissing(() => readdirSync(join(ROOT, directory), { withFileTypes: true })) ?? []
  return entries.flatMap(entry => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return listSources(path)
    return SOURCE_FILE.test(entry.name) ? [path] : []
  })
}

function removeOutputsOfRemoved(files) {
  const present = new Set(files)
  for (const file of readStamp()?.files ?? []) {
    const output = join(ROOT, 'dist', file.replace(/\.tsx?$/, '.js'))
    if (present.has(file)) continue
    rmSync(output, { force: true })
    rmSync(`${output}.map`, { force: true })
  }
}

function readStamp() {
  const text = readIfThere(BUILD_STAMP)
  return text === null ? null : JSON.parse(text)
}

/** A link whose target is the holder's process id: made in one step, so it is never seen half made. */
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

/** Another process may have broken the dead one's lock and taken its own meanwhile: then that one is put back. */
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

function run(program, parameters, name) {
  const { status, signal, error } = spawnSync(program, parameters, { cwd: ROOT, stdio: ['ignore', 2, 2] })
  if (error) throw new Trouble(`${name} could not be started: ${error.message}`)
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
