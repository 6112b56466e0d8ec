import { describeEveryAnswer } from './every-answer.ts'

describeEveryAnswer({ platform: true })
