import { openDeadline } from '../deadline.ts'

export interface TextAnswer {
  status: number
  type: string
  text: string
}

const answerLengthMax = 65_536

/** Posts a text and returns the answer, of at most 64 KiB, within `ms`. Redirects are not followed. */
export async function postText(url: string, body: string, ms: number): Promise<TextAnswer> {
  const never = new AbortController().signal
  const deadline = openDeadline(never, ms)
  try {
    const { signal } = deadline
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    const response = await fetch(url, { method: 'POST', body, headers, redirect: 'error', signal })
    const { status } = response
    return { status, type: response.headers.get('content-type') ?? '', text: await readText(response) }
  } finally {
    deadline.clear()
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > answerLengthMax) throw new Error(`the answer is longer than ${answerLengthMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
