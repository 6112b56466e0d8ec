/** Other files are run one after the other, and this many at most unless told otherwise. */
export const testsMaxPreset = 40

/**
 * Files that are run together, the quickest first: what needs no server and stands nearest to the source, the rest of
 * that, then one by one what is near and what is not.
 */
export function stagesOf(tests: readonly string[], source: string, testsMax = testsMaxPreset): string[][] {
  const pure = tests.filter(isPure)
  const others = tests
    .filter(test => !isPure(test))
    .sort(
      (one, other) =>
        far(one, source) - far(other, source) || rank(one) - rank(other) || (one < other ? -1 : 1),
    )
  const near = pure.filter(test => far(test, source) === 0 && !drawsMuch.test(test))
  const rest = others.slice(0, testsMax).map(test => [test])
  return [near, pure.filter(test => !near.includes(test)), ...rest].filter(stage => stage.length > 0)
}

/** Tests that draw many cases take long: others come first. */
const drawsMuch = /propert|random|mutations/

const isPure = (test: string): boolean => test.startsWith('test/pure/')

/** Near are tests in a folder of the same name, and those whose name has a word of the name of the source in it. */
function far(test: string, source: string): number {
  const [file = '', folder = ''] = source.split('/').reverse()
  const words = file.replace(/\.ts$/, '').split('-')
  const sameFolder = test.includes(`/${folder}/`) && isPure(test)
  return sameFolder || words.some(word => test.includes(word.replace(/s$/, ''))) ? 0 : 1
}

const folders = ['test/store/', 'test/guards/', 'test/conformance/', 'test/service/']

/** Tests of the store start a database alone, those of services a service, others whole processes. */
function rank(test: string): number {
  const at = folders.findIndex(folder => test.startsWith(folder))
  return at === -1 ? folders.length : at
}
