const reasons = {
  any_value: 'has no type, so any value may stand there: give it a type in the document',
  free_names: 'may have members of any name: list those that are needed in the document',
  recursive: 'leads back to itself: write it out as deep as it may go',
  file: 'is a file, which no action holds: give the downstream a reference to it, or use a module actuator',
  external_reference:
    'refers to another document, which is never fetched: bundle all into one document first',
  missing_reference: 'refers to nothing in the document: correct the reference',
  too_deep: 'nests deeper than is written out: write its catalog entry by hand',
  too_large: 'is larger than a catalog entry may be: write its catalog entry by hand',
  too_many_alternatives: 'has more than 64 alternatives: those beyond are left out',
  no_alternative: 'has no alternative that can be closed: write one of them out in the document',
  contradictory: 'combines schemas that contradict each other: correct the document',
  unwritable_path: 'holds what no path of a request holds, such as ?, # or a space: correct the document',
  unwritable_name: 'has a name that no template can hold: write its actuator settings by hand',
  not_closed: 'is not a closed schema: write its catalog entry by hand',
  not_taken: 'is not taken by a registration or a catalog: write it by hand',
  unchecked: 'is not checked here: the downstream refuses what it does not take',
  unsupported_method: 'has a method that the http actuator does not send: use a module actuator',
  unsupported_body: 'takes neither JSON nor a plain form: use a module actuator',
  body_of_get: 'belongs to a GET, where servers may drop it: use a module actuator',
  unsupported_parameter: 'is written in a way that the http actuator does not know: use a module actuator',
  own_server: 'has a server of its own: import it as a system of its own, and give base_url',
  malformed: 'is not what the OpenAPI specification says: correct the document',
} as const

export type OpenCode = keyof typeof reasons

/** A part that cannot be closed. Either the part or its whole operation is left out. */
export class Open {
  readonly code: OpenCode
  readonly path: string

  constructor(code: OpenCode, path: string) {
    this.code = code
    this.path = path
  }

  get message(): string {
    return `${this.path === '' ? 'it' : this.path} ${reasons[this.code]}`
  }
}
