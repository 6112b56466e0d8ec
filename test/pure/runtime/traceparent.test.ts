import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { idTracer } from '../../../shared/runtime/telemetry/open-tracer.ts'
import { placeBelow, readTraceparent, writeTraceparent } from '../../../shared/runtime/telemetry/tracer.ts'

const trace = '0af7651916cd43dd8448eb211c80319c'
const span = 'b7ad6b7169203331'
const place = { trace_id: trace, span_id: span, sampled: true }

describe('traceparent (W3C Trace Context level 1)', () => {
  it.each([
    ['version 00', `00-${trace}-${span}-01`, place],
    ['not sampled', `00-${trace}-${span}-00`, { ...place, sampled: false }],
    ['flags that nobody knows yet', `00-${trace}-${span}-ff`, place],
    ['a later version, with what it adds', `cc-${trace}-${span}-01-what-comes`, place],
    ['a later version without', `01-${trace}-${span}-01`, place],
  ])('reads %s', (_name, text, wanted) => {
    expect(readTraceparent(text)).toEqual(wanted)
  })

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['version ff', `ff-${trace}-${span}-01`],
    ['version 00 with more behind it', `00-${trace}-${span}-01-more`],
    ['a later version with more and no dash', `01-${trace}-${span}-01more`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${span}-01`],
    ['a span of zeros', `00-${trace}-${'0'.repeat(16)}-01`],
    ['capital letters', `00-${trace.toUpperCase()}-${span}-01`],
    ['what is no number', `00-${trace.replace('a', 'g')}-${span}-01`],
    ['one digit too few', `00-${trace.slice(1)}-${span}-01`],
    ['blanks', ` 00-${trace}-${span}-01`],
    ['a line more', `00-${trace}-${span}-01\n`],
    ['two of them', `00-${trace}-${span}-01, 00-${trace}-${span}-01`],
  ])('ignores %s', (_name, text) => {
    expect(readTraceparent(text)).toBeNull()
  })

  it('is 55 characters that read back as they were, whatever came', () => {
    const some = fc.string({ maxLength: 80, unit: 'binary' })
    const alike = fc.stringMatching(/^0[01]-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
    fc.assert(
      fc.property(fc.oneof(some, alike), text => {
        const { traceparent, ...ids } = idTracer.begin('server', text)
        expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)
        expect(readTraceparent(traceparent)).toMatchObject({ trace_id: ids.trace_id, span_id: ids.span_id })
        const read = readTraceparent(text)
        if (read) expect(ids.trace_id).toBe(read.trace_id)
      }),
    )
  })
})

describe('new work', () => {
  it('is in the trace of its parent, as another span', () => {
    const below = placeBelow(place)
    expect(below).toMatchObject({ trace_id: trace, sampled: true })
    expect(below.span_id).not.toBe(span)
    expect(writeTraceparent(below)).toBe(`00-${trace}-${below.span_id}-01`)
  })

  it('begins a trace of its own without one, which nobody records', () => {
    const begun = new Set(Array.from({ length: 1000 }, () => placeBelow(null).trace_id))
    expect(begun.size).toBe(1000)
    expect(placeBelow(null).sampled).toBe(false)
  })
})
