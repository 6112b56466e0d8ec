import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest of its project, whatever its size: it begins first, so that the last worker is not left alone with it. */
export const slowFiles: readonly string[] = [
  'architecture/lint',
  'architecture/types',
  'pure/bin/service-audit-verify',
  'contract/operations',
  'browser/operator-journey',
  'browser/owner-journey',
  'service/execution/reconcile',
  'service/tool/tools-command',
  'platform/failpoints',
  'chaos/chaos',
  'platform/completion-failpoints',
  'service/edge/start-mixes',
  'browser/every-page',
  'platform/test-calls',
  'contract/agreement',
  'browser/tools-journey',
].map(name => `test/${name}.test.ts`)

/** Vitest's own order is by size until a machine has seen a run; a clone never has. */
export class SlowFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    return projects.flatMap(name => {
      const files = sorted.filter(({ project }) => project.name === name)
      const isSlow = ({ moduleId }: TestSpecification) =>
        slowFiles.some(file => moduleId.endsWith(`/${file}`))
      return [...files.filter(isSlow), ...files.filter(file => !isSlow(file))]
    })
  }
}
