import { describe, expect, it } from 'vitest'
import { isHiddenUrl } from '../../../../shared/contract/webhook.ts'
import { hiddenUrl, openUrl, sealUrl } from '../../../../shared/runtime/secrets/sealed-value.ts'

const key = Buffer.alloc(32, 1)
const url = 'https://hooks.slack.example:8443/services/T0/B0/tail?sig=1'

describe('a sealed URL', () => {
  it('opens for its webhook with its key, and for nothing else', () => {
    const sealed = sealUrl(key, 'wh_a', url)
    expect(openUrl(key, 'wh_a', sealed)).toBe(url)
    expect(openUrl(key, 'wh_b', sealed)).toBe(null)
    expect(openUrl(Buffer.alloc(32, 2), 'wh_a', sealed)).toBe(null)
    expect(openUrl(key, 'wh_a', sealed.subarray(0, 20))).toBe(null)
    expect(sealed.includes('services')).toBe(false)
    expect(sealUrl(key, 'wh_a', url).equals(sealed)).toBe(false)
  })

  it('is shown as its origin and a digest', () => {
    expect(hiddenUrl(url)).toMatch(/^https:\/\/hooks\.slack\.example:8443\/sha256:[0-9a-f]{64}$/)
    expect(isHiddenUrl(hiddenUrl(url))).toBe(true)
    expect(isHiddenUrl(url)).toBe(false)
  })
})
