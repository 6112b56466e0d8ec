import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packagePlaces } from '../security/production-packages.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { npmOfNode20, npmProgram } from '../support/servers/npm-of-node-20.ts'

const run = promisify(execFile)
let directory: string
let program: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'action-gate-install-'))
  program = await npmProgram()
}, 180_000)

afterAll(() => rm(directory, { recursive: true, force: true }))

const npm = (place: string, ...flags: string[]) =>
  run(process.execPath, [program, ...flags, '--offline', '--no-audit'], {
    cwd: place,
    env: { PATH: process.env.PATH, HOME: directory },
    timeout: 60_000,
  })

/** A project with a dependency that writes a file when it is installed, and with the settings given. */
async function project(name: string, npmrc: string | null): Promise<string> {
  const place = join(directory, name)
  await mkdir(join(place, 'hostile'), { recursive: true })
  if (npmrc !== null) await copyFile(npmrc, join(place, '.npmrc'))
  const script = `node -e "require('fs').writeFileSync(process.env.INIT_CWD + '/ran', '')"`
  const hostile = { name: 'hostile', version: '1.0.0', scripts: { postinstall: script } }
  await writeFile(join(place, 'hostile', 'package.json'), JSON.stringify(hostile))
  const dependencies = { hostile: 'file:hostile' }
  const allowScripts = { hostile: false }
  const own = { name: 'own', version: '1.0.0', private: true, dependencies, allowScripts }
  await writeFile(join(place, 'package.json'), JSON.stringify(own))
  return place
}

async function ranIn(place: string): Promise<boolean> {
  await npm(place, 'install')
  const first = (await readdir(place)).includes('ran')
  await rm(join(place, 'ran'), { force: true })
  await npm(place, 'ci')
  return first || (await readdir(place)).includes('ran')
}

describe('the npm that ships with Node 20', () => {
  it('is the one that is tested', async () => {
    expect((await npm(directory, '--version')).stdout.trim()).toBe(npmOfNode20)
  })

  it('runs scripts of a dependency against allowScripts where our settings are missing', async () => {
    expect(await ranIn(await project('without', null))).toBe(true)
  })

  it.each(packagePlaces)('runs none of them with the settings of $of', async ({ of, place }) => {
    expect(await ranIn(await project(of, join(repositoryRoot, place, '.npmrc')))).toBe(false)
  })
})
