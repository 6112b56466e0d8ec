/** One instruction of a Dockerfile: its word in capitals and what follows, on one line. */
export interface Instruction {
  word: string
  rest: string
}

/** A `FROM` with what stands under it. */
export interface Stage {
  name: string
  from: string
  instructions: Instruction[]
}

const words: ReadonlySet<string> = new Set([
  ...['COPY', 'ENTRYPOINT', 'ENV', 'EXPOSE', 'FROM', 'HEALTHCHECK', 'RUN', 'STOPSIGNAL', 'USER', 'WORKDIR'],
])

/** The stages of a Dockerfile; an instruction that is not one of ours, or that stands before any stage, is an error. */
export function readDockerfile(text: string): Stage[] {
  const stages: Stage[] = []
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  for (const line of lines.filter(line => line.trim() !== '')) {
    const [, word = '', rest = ''] = /^([A-Z]+)\s+(\S.*)$/.exec(line) ?? []
    if (!words.has(word)) throw new Error(`not an instruction: ${line}`)
    if (word === 'FROM') stages.push(readStage(rest))
    else if (stages.length === 0) throw new Error(`before any stage: ${line}`)
    else stages.at(-1)?.instructions.push({ word, rest })
  }
  return stages
}

function readStage(rest: string): Stage {
  const [, from = '', name = ''] = /^(\S+) AS ([a-z][a-z0-9-]*)$/.exec(rest) ?? []
  if (name === '') throw new Error(`a stage has an image and a name: FROM ${rest}`)
  return { name, from, instructions: [] }
}

/** A stage with those that it is made from, the first one first. */
export function chainOf(stages: readonly Stage[], name: string): Stage[] {
  const stage = stages.find(one => one.name === name)
  return stage ? [...chainOf(stages, stage.from), stage] : []
}

/** What an instruction says, of the last stage that has it. */
export function lastOf(chain: readonly Stage[], word: string): string | undefined {
  return chain.flatMap(({ instructions }) => instructions).findLast(one => one.word === word)?.rest
}

/** Source and target of a COPY, and the stage that it copies from. */
export function readCopy(rest: string): { from: string | null; sources: string[]; target: string } {
  const [, from = null, paths = ''] = /^(?:--from=(\S+) )?(.+)$/.exec(rest) ?? []
  const all = paths.split(/\s+/)
  return { from, sources: all.slice(0, -1), target: all.at(-1) ?? '' }
}
