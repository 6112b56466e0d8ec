import { describeEveryAnswer } from './every-answer.ts'

describeEveryAnswer({ platform: false })
