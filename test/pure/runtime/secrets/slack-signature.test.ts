import { isValidSlackRequest } from '@slack/bolt'
import { describe, expect, test } from 'vitest'
import { isSignedBySlack } from '../../../../shared/runtime/secrets/secret.ts'
import { signedHeaders } from '../../../support/service/slack.ts'

const secret = '8f742231b10e8888abcd99000000f85a'
const body = 'token=xyz&team_id=T1DC2JH3J&text=94070+%E2%9C%93&response_url=https%3A%2F%2Fhooks.slack.com%2Fx'
const now = 1_531_420_618
const good = signedHeaders(secret, body, now)

interface Sent {
  body: string
  headers: ReturnType<typeof signedHeaders>
}

/** What we say of a request, and what Slack's own library says. */
function judged({ body: text, headers }: Sent): { ours: boolean; theirs: boolean } {
  const [timestamp, signature] = [headers['x-slack-request-timestamp'], headers['x-slack-signature']]
  const nowDate = new Date(now * 1_000)
  const theirs = isValidSlackRequest({
    signingSecret: secret,
    body: text,
    headers: { ...headers, 'x-slack-request-timestamp': Number(timestamp) },
    nowMilliseconds: nowDate.getTime(),
  })
  return {
    ours: isSignedBySlack(secret, { bytes: Buffer.from(text), timestamp, signature }, nowDate.getTime()),
    theirs,
  }
}

describe('a request of Slack', () => {
  test.each([
    ['just now', good],
    ['five minutes ago', signedHeaders(secret, body, now - 300)],
  ])('that was signed %s counts, as Slack’s library says too', (_when, headers) => {
    expect(judged({ body, headers })).toEqual({ ours: true, theirs: true })
  })

  test.each<[string, Sent]>([
    ['with another secret', { body, headers: signedHeaders(secret.replace('8', '9'), body, now) }],
    ['of another body', { body: `${body}&x=1`, headers: good }],
    [
      'with a longer signature',
      { body, headers: { ...good, 'x-slack-signature': `${good['x-slack-signature']}0` } },
    ],
    ['without a signature', { body, headers: { ...good, 'x-slack-signature': '' } }],
    [
      'of another version',
      { body, headers: { ...good, 'x-slack-signature': good['x-slack-signature'].replace('v0', 'v1') } },
    ],
    ['more than five minutes ago', { body, headers: signedHeaders(secret, body, now - 301) }],
    ['for another time', { body, headers: { ...good, 'x-slack-request-timestamp': String(now - 1) } }],
  ])('that was signed %s does not, as Slack’s library says too', (_how, sent) => {
    expect(judged(sent)).toEqual({ ours: false, theirs: false })
  })

  test.each([
    ['in the time to come', signedHeaders(secret, body, now + 301)],
    ['at no time', { ...good, 'x-slack-request-timestamp': 'NaN' }],
  ])('that was signed %s does not', (_when, headers) => {
    expect(judged({ body, headers }).ours).toBe(false)
  })
})
