import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Checkpoint, openCheckpoint } from '../../shared/audit/checkpoint.ts'
import { parseNote } from '../../shared/audit/signed-note.ts'
import { formatVkey, keyId, type VerifierKey, verifierKey } from '../../shared/audit/verifier-key.ts'
import { verifyConsistency } from '../../shared/audit/verify-proofs.ts'
import { importPrivateKey, privateKeyPem, signEd25519 } from '../../shared/canon/ed25519.ts'

/** A mock witness (C2SP tlog-witness) that remembers in memory what it has seen. */
export interface MockWitness {
  url: string
  vkey: string
  key: VerifierKey
  /** Every request: the size that it continues, the size it brings, and what was answered. */
  asked: { old: number; size: number; status: number }[]
  /** Pretends to have seen other sizes, or answers what no witness would. */
  misbehave(how: Fault | null): void
  close(): Promise<void>
}

interface Fault {
  /** The size that it says it has, each time it is asked. */
  seen?: () => number
  text?: string
  /** Comes after its signature. */
  more?: string
}

const name = 'witness.example.org'

export async function startMockWitness(trusted: VerifierKey): Promise<MockWitness> {
  const privateKey = importPrivateKey(privateKeyPem(Buffer.alloc(32, 99)))
  const key = verifierKey(name, privateKey.publicKey, 'cosignature')
  const seen = new Map<string, Checkpoint>()
  const asked: MockWitness['asked'] = []
  let fault: Fault | null = null

  function answer(body: string): { status: number; type?: string; text: string } {
    const blank = body.indexOf('\n\n')
    const [oldLine = '', ...hashes] = body.slice(0, blank).split('\n')
    const note = body.slice(blank + 2)
    const old = Number(/^old (\d+)$/.exec(oldLine)?.[1])
    const opened = openCheckpoint(note, [trusted])
    if (!opened.ok) return { status: 403, text: opened.error }
    const { origin, size, root } = opened.value
    const last = seen.get(origin) ?? { origin, size: 0, root: Buffer.alloc(0) }
    const told = fault?.seen?.() ?? last.size
    const status = told !== old ? 409 : continues() ? 200 : 422
    asked.push({ old, size, status })
    if (status === 409) return { status, type: 'text/x.tlog.size', text: `${told}\n` }
    if (status === 422) return { status, text: 'the proof does not hold' }
    seen.set(origin, { origin, size, root })
    return { status, text: fault?.text ?? `${cosign(note)}${fault?.more ?? ''}` }

    function continues(): boolean {
      const proof = hashes.map(hash => Buffer.from(hash, 'base64'))
      if (last.size === 0) return proof.length === 0
      return verifyConsistency({ oldSize: last.size, size, oldRoot: last.root, root, proof })
    }
  }

  function cosign(note: string): string {
    const parsed = parseNote(note)
    if (!parsed.ok) throw new Error(parsed.error.message)
    const at = Math.floor(Date.now() / 1000)
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(BigInt(at))
    const message = Buffer.from(`cosignature/v1\ntime ${at}\n${parsed.value.text}`)
    const id = keyId(name, privateKey.publicKey, 'cosignature')
    return `\u2014 ${name} ${Buffer.concat([id, time, signEd25519(privateKey, message)]).toString('base64')}\n`
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const { status, type = 'text/plain', text } = answer(Buffer.concat(chunks).toString())
      response.writeHead(request.url === '/w/add-checkpoint' ? status : 404, { 'content-type': type })
      response.end(text)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/w`,
    vkey: formatVkey(key),
    key,
    asked,
    misbehave(how) {
      fault = how
    },
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}
