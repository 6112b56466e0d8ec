import { type ErrorCode, errorTable } from '../../../shared/contract/base/errors.ts'
import { errorAdvice } from '../../../shared/contract/error-advice.ts'

const introduction = `# Errors

Every error is \`application/problem+json\` (RFC 9457). Programs read \`code\`, which is stable; people follow \`type\`, which leads to a paragraph below. \`request_id\` finds the request in the log of the service.

A policy outcome is no error: a denied proposal answers 200 with \`denied\` and its \`blocking_reasons\`.
`

export function errorPage(): string {
  const codes = Object.keys(errorTable) as ErrorCode[]
  const statuses = [...new Set(codes.map(code => errorTable[code].status))].sort((one, other) => one - other)
  const parts = statuses.map(status => {
    const own = codes.filter(code => errorTable[code].status === status)
    return [`## Status ${status}\n`, ...own.map(paragraph)].join('\n')
  })
  return [introduction, ...parts].join('\n')
}

function paragraph(code: ErrorCode): string {
  return `### \`${code}\`\n\n**${errorTable[code].title}.** ${errorAdvice[code]}\n`
}
