import { z } from 'zod'
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { type ErrorCode, errorTable, type Problem, problemSchema, problemType } from '../base/errors.ts'
import type { Answer, Endpoint } from '../endpoints/endpoint.ts'
import { errorCodesOf } from '../endpoints/error-codes.ts'
import {
  everyAnswer,
  limitedAnswer,
  responseHeaders,
  retryAfterWhileUnsettled,
  wwwAuthenticate,
} from './openapi-headers.ts'

export function responsesOf(endpoint: Endpoint): ZodOpenApiResponsesObject {
  const problems = [...errorCodesOf(endpoint).values()].map(codes => [
    statusOf(codes),
    { $ref: `#/components/responses/${problemName(codes)}` },
  ])
  const answers = Object.entries(endpoint.answers).map(([status, answer]) => [
    status,
    answerResponse(Number(status), answer, endpoint.limited !== false),
  ])
  return {
    ...Object.fromEntries(problems),
    431: { $ref: '#/components/responses/HeadersTooLarge' },
    ...Object.fromEntries(answers),
  }
}

export function problemResponses(endpoints: readonly Endpoint[]): Record<string, ZodOpenApiResponseObject> {
  const sets = endpoints.flatMap(endpoint => [...errorCodesOf(endpoint).values()])
  return {
    HeadersTooLarge: { description: 'The header fields exceed 16 KiB; answered without a body.' },
    ...Object.fromEntries(sets.map(codes => [problemName(codes), problemResponse(codes)])),
  }
}

function answerResponse(status: number, answer: Answer, limited: boolean): ZodOpenApiResponseObject {
  const own = (answer.headers ?? []).map(name => {
    const [written, schema] = responseHeaders[name]
    return [written, name === 'retry-after' && status !== 202 ? retryAfterWhileUnsettled : schema]
  })
  return {
    description: answer.description,
    headers: z.object({ ...everyAnswer, ...(limited ? limitedAnswer : {}), ...Object.fromEntries(own) }),
    ...(answer.body.def.type === 'null' ? {} : { content: { [mediaType(answer)]: { schema: answer.body } } }),
  }
}

/** Returns the media type without parameters, because the charset is not part of the contract. */
function mediaType({ type = 'application/json' }: Answer): string {
  return type.split(';')[0] ?? type
}

function problemResponse(codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const status = statusOf(codes)
  const narrowed = z.looseObject({ status: z.literal(status), code: z.enum(codes) })
  return {
    description: codes.map(code => `\`${code}\`: ${errorTable[code].title}.`).join(' '),
    headers: z.object({ ...everyAnswer, ...problemHeaders[status] }),
    content: {
      'application/problem+json': {
        schema: z.intersection(problemSchema, narrowed),
        examples: Object.fromEntries(codes.map(code => [code, { value: exampleProblem(code) }])),
      },
    },
  }
}

const problemHeaders: Readonly<Record<number, z.ZodRawShape>> = {
  401: { 'WWW-Authenticate': wwwAuthenticate },
  429: { ...limitedAnswer, 'Retry-After': responseHeaders['retry-after'][1] },
  503: { 'Retry-After': responseHeaders['retry-after'][1] },
}

function exampleProblem(code: ErrorCode): Problem {
  const { status, title } = errorTable[code]
  const request_id = 'req_7rwplra2gq6misuk'
  return { type: problemType('', code), title, status, detail: title, code, request_id }
}

function statusOf([code]: readonly ErrorCode[]): number {
  return code ? errorTable[code].status : 500
}

/** Names a response after its error codes, such as `InvalidKeyOrKeyRevoked`, so that readers see the codes. */
function problemName(codes: readonly ErrorCode[]): string {
  const pascal = (code: string) =>
    code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
  return codes.map(pascal).join('Or')
}
