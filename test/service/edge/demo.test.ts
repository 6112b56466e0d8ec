import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../../support/repository-root.ts'

async function runDemo(...flags: string[]) {
  const child = spawn(process.execPath, ['dist/api/bin/demo.js', ...flags], { cwd: repositoryRoot })
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  const [told, complained, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { told, complained, code }
}

it('the demo plays an allowed, an approved and a denied action, and ends its service', async () => {
  const { told, complained, code } = await runDemo()
  expect({ code, complained }).toEqual({ code: 0, complained: '' })
  expect(told.match(/the gate says \w+/g)).toEqual([
    'the gate says allow',
    'the gate says needs_approval',
    'the gate says deny',
  ])
  expect(told).toContain('approved; the action is executed')
  expect(told).toContain('because parameter_above_max: amount must be at most 50')
  expect(told.match(/root sha256:[0-9a-f]{64}/g)).toHaveLength(3)
}, 60_000)

it('a demo that is told half of where to play says how it is used', async () => {
  const { complained, code } = await runDemo('--url', 'http://127.0.0.1:1')
  expect(code).toBe(2)
  expect(complained).toContain('--admin-key')
})
