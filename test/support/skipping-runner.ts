import { inject, type RunnerTask, type RunnerTestFile, TestRunner } from 'vitest'

/** Skips every test, with all hooks around it, where the servers of its project could not be had. */
export default class SkippingRunner extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    if (inject('serverMissing')) for (const file of files) skip(file)
  }
}

function skip(task: RunnerTask): void {
  task.mode = 'skip'
  task.result = { state: 'skip' }
  if ('tasks' in task) for (const inner of task.tasks) skip(inner)
}
