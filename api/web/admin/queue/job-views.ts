import type { CallInput } from '../../lib/call.ts'

export type JobView = NonNullable<CallInput<'list_jobs'>['query']>['view']

interface Words {
  title: string
  hint: string
  none: string
}

export const jobViewWords: Readonly<Record<JobView, Words>> = {
  due: {
    title: 'Due',
    hint: 'They run as soon as a worker takes them.',
    none: 'Nothing is due',
  },
  leased: {
    title: 'Executing',
    hint: 'A worker holds a lease and calls the system.',
    none: 'No call is under way',
  },
  later: {
    title: 'Later',
    hint: 'An earlier try definitely had no effect; they wait for the next one.',
    none: 'No retry waits',
  },
  stopped: {
    title: 'Kept back',
    hint: 'Due, and kept back by a freeze or a pause.',
    none: 'Nothing is kept back',
  },
  unknown: {
    title: 'Being looked up',
    hint: 'The outcome is unknown, and the service asks the system for it.',
    none: 'No outcome is being looked up',
  },
  failed: {
    title: 'Failed',
    hint: 'They had no effect and are not tried again. Last ended first.',
    none: 'Nothing failed',
  },
  needs_operator: {
    title: 'Needs a person',
    hint: 'The outcome is unknown, and the service cannot find it out.',
    none: 'No outcome needs a person',
  },
}

export const jobViews = Object.keys(jobViewWords) as JobView[]
