import { GateError } from './failures.ts'
import { frameworks, type Members, type Work } from './frameworks.ts'
import type { Catalogued, Gate, Ref, RunOptions } from './gate.ts'
import type { Held } from './standing.ts'
import type { RiskLevel } from './wire.ts'

/** The proposal options of a gated tool; `input` is the tool's input. */
export interface GatedOptions {
  /** Returns the parameters of the operation; by default the tool's input. */
  parameters?: ((input: unknown) => object) | undefined
  /** Returns the proposal id. By default each call of the tool proposes a new action. */
  proposalId?: ((input: unknown) => string) | undefined
  summary?: ((input: unknown) => string) | undefined
  risk?: RiskLevel | undefined
  onHeld?: ((held: Held) => void | Promise<void>) | undefined
  /**
   * Returns or throws the tool's answer to a failure. By default the model reads the failure and the next step.
   */
  onFailure?: ((failure: GateError) => unknown) | undefined
}

/**
 * Returns a copy of a tool that proposes to the gate. The tool's own `execute`, `func` or `handler` never runs.
 * Tools of the Vercel AI SDK, LangChain, the OpenAI Agents SDK and the Claude Agent SDK are detected by their
 * members, so that none of these is imported. Throws a TypeError for any other tool.
 */
export function gated<Operations extends Catalogued<Operations>, Tool extends object>(
  gate: Gate<Operations>,
  operation: Ref<Operations>,
  tool: Tool,
  options: GatedOptions = {},
): Tool {
  const members = tool as Members
  const framework = frameworks.find(({ knows }) => knows(members))
  if (!framework)
    throw new TypeError(`this is no tool of ${frameworks.map(({ name }) => name).join(', ')}: use gate.run`)
  const work: Work = async (input, signal) => {
    const parameters = options.parameters?.(input) ?? objectOf(input)
    try {
      const { result } = await gate.run(operation, parameters as never, runOptions(options, input, signal))
      return framework.done(result.detail, members)
    } catch (error) {
      if (!(error instanceof GateError)) throw error
      return options.onFailure ? options.onFailure(error) : framework.told(error, members)
    }
  }
  return framework.wrap(members, work) as Tool
}

function runOptions(options: GatedOptions, input: unknown, signal: unknown): RunOptions {
  return {
    proposalId: options.proposalId?.(input),
    summary: options.summary?.(input),
    risk: options.risk,
    onHeld: options.onHeld,
    signal: isSignal(signal) ? signal : undefined,
  }
}

/** Checks members rather than the class, because an AbortSignal of another realm has another class. */
function isSignal(value: unknown): value is AbortSignal {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value
}

/** Wraps an input that is not an object, because a tool with a single text field has a string as its input. */
function objectOf(input: unknown): object {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input }
}
