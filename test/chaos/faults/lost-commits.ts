/**
 * Counts writes of one connection to PostgreSQL that were committed and whose answer was dropped. The service's statements
 * that write have names; a transaction of one statement commits without a COMMIT of its own. Their answer ends with
 * ReadyForQuery, which says that no transaction is open any more, and has no error in it.
 */
export interface LostCommits {
  /** What the client sends. */
  asked(chunk: Buffer): void
  /** What the server answers; whether a committed write was lost with it. */
  answered(chunk: Buffer, dropped: boolean): boolean
}

/** Parts of messages of PostgreSQL's protocol: the name of a statement in a Bind, the end of a transaction, and an error. */
const writing = ['\0insert_actions', '\0append_changes', '\0commit\0']
const idle = Buffer.from('Z\0\0\0\x05I', 'latin1')
const refusal = 'SERROR\0VERROR\0'

export function watchCommits(): LostCommits {
  let writes = false
  let lost = false
  let refused = false
  return {
    asked(chunk) {
      writes ||= writing.some(name => chunk.includes(name))
    },
    answered(chunk, dropped) {
      lost ||= dropped
      refused ||= chunk.includes(refusal)
      if (!chunk.includes(idle)) return false
      const isLostCommit = writes && lost && !refused
      writes = lost = refused = false
      return isLostCommit
    },
  }
}
