import { describe, expect, it } from 'vitest'
import { weakness } from '../../../../shared/runtime/secrets/weak-password.ts'

const email = 'owner@example.org'

describe('a password that somebody would try first', () => {
  it.each([
    ['password1234', 'is made of common words'],
    ['P@ssw0rd2024!', 'is made of common words'],
    ['iloveyou12345', 'is made of common words'],
    ['letmeinletmein', 'is made of common words'],
    ['Welcome2024!!', 'is made of common words'],
    ['Administrator1', 'is made of common words'],
    ['correcthorsebatterystaple', 'is a common password'],
    ['CorrectHorseBatteryStaple!1', 'is a common password'],
    ['aaaaaaaaaaab', 'has few different characters'],
    ['kx7!qkx7!qkx7!q', 'repeats one short piece'],
    ['qwertyuiop12', 'is a sequence of neighbouring characters'],
    ['123456789012', 'is a sequence of neighbouring characters'],
    ['zyxwvutsrqpo', 'is a sequence of neighbouring characters'],
    ['1qaz2wsx3edc', 'is a sequence of neighbouring characters'],
    ['owner@example.org', 'contains little but the e-mail address'],
    ['OWNER@example.org77', 'contains little but the e-mail address'],
    ['ｐａｓｓｗｏｒｄ1234', 'is made of common words'],
  ])('%s', (password, why) => {
    expect(weakness(password, email)).toBe(why)
  })
})

describe('a password that is as good as any', () => {
  it.each([
    'a long phrase nobody guesses',
    'correct horse battery staple zoo',
    '9#4k!82&61$7',
    'kitty8#3!72$@91x',
    'sunshine-purple-42-forest',
    'tmdkqpwzrxbv',
    'owner likes quiet rivers',
    'Tr0mbone&glacier',
    'прекрасный вечер',
  ])('%s', password => {
    expect(weakness(password, email)).toBeNull()
  })
})
