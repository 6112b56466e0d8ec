/** Other files are run one after the other, and this many at most unless told otherwise. */
export const testsMaxPreset = 40

/** Files that are run together, the quickest first: what needs no server, then what is near the source, then the rest. */
export function stagesOf(tests: readonly string[], source: string, testsMax = testsMaxPreset): string[][] {
  const pure = tests.filter(isPure)
  const others = tests
    .filter(test => !isPure(test))
    .sort(
      (one, other) =>
        far(one, source) - far(other, source) || rank(one) - rank(other) || (one < other ? -1 : 1),
    )
  const rest = others.slice(0, testsMax).map(test => [test])
  return pure.length > 0 ? [pure, ...rest] : rest
}

const isPure = (test: string): boolean => test.startsWith('test/pure/')

/** Near are tests whose name has a word of the name of the source in it: `reconcile`, `claim`, `jobs`. */
function far(test: string, source: string): number {
  const words = source.replace(/^.*\/|\.ts$/g, '').split('-')
  return words.some(word => test.includes(word.replace(/s$/, ''))) ? 0 : 1
}

const folders = ['test/store/', 'test/guards/', 'test/conformance/', 'test/service/']

/** Tests of the store start a database alone, those of services a service, others whole processes. */
function rank(test: string): number {
  const at = folders.findIndex(folder => test.startsWith(folder))
  return at === -1 ? folders.length : at
}
