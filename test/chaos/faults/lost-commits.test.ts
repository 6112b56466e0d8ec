import { expect, it } from 'vitest'
import { watchCommits } from './lost-commits.ts'

const bind = (name: string) => Buffer.from(`B\0\0\0\x20\0${name}\0\0\0`)
const idle = Buffer.from('C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I')
const inTransaction = Buffer.from('C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05T')
const refusal = Buffer.from('E\0\0\0\x40SERROR\0VERROR\0C23505\0\0Z\0\0\0\x05I')

it.each([
  ['insert_actions_makes_jobs', [idle], true],
  ['append_changes', [idle], true],
  ['commit', [idle], true],
  ['append_changes', [idle.subarray(0, 9), idle.subarray(9)], true],
  ['due_actions', [idle], false],
  ['append_changes', [inTransaction], false],
  ['append_changes', [refusal], false],
])('an answer to %s loses a commit only once it is made (%#)', (name, answers, lost) => {
  const commits = watchCommits()
  commits.asked(bind(name))
  expect(answers.map(answer => commits.answered(answer, true)).some(Boolean)).toBe(lost)
})

it('a write whose answer arrived is not lost with that of a look', () => {
  const commits = watchCommits()
  commits.asked(bind('append_changes'))
  expect(commits.answered(idle, false)).toBe(false)
  commits.asked(bind('due_actions'))
  expect(commits.answered(idle, true)).toBe(false)
})
