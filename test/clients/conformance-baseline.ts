/** Why a check of the suite fails here, by the words of its failure: nothing else may fail. */
export const baseline: readonly { failure: RegExp; why: string }[] = [
  {
    failure: /^(prompts|completion|resources|sep-2549-(prompts|resources)|sep-2322-non-tool)/,
    why: 'the service has no prompts, completions and resources: it has tools alone',
  },
  {
    failure: /^(logging-set-level|tools-call-with-logging|sep-2575-server-no-log)/,
    why: 'the service logs nothing to a client',
  },
  {
    failure: /^tools-call-(image|audio|embedded-resource|mixed-content|with-progress)/,
    why: 'a tool of the suite answers with media or counts its own progress; an operation answers with JSON',
  },
  {
    failure:
      /^(tools-call-(sampling|elicitation)|elicitation-|sep-2322-|sep-2575-(server-rejects|missing|http-server))/,
    why: 'no tool here asks its client for anything: no answer of a client is an approval',
  },
  {
    failure:
      /^(sep-2663-(tasks-get-status-input-required|mrtr)|tasks-(mrtr|result-type-complete-on-non-task))/,
    why: 'no task here asks its client for anything',
  },
  {
    failure: /^sep-2663-(tasks-get-status-failed|server-returns-missing-capability)/,
    why: 'a task never fails by an error of the protocol, and none of the tools needs the extension',
  },
  {
    failure: /^tasks-headers-tolerate-mcp-method/,
    why: 'the result holds the id of the action, so two calls differ',
  },
  { failure: /^sep-2243-server/, why: 'no parameter is sent as a header' },
]
