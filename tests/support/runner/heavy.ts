/** True if slow tests run too: `npm run test:heavy`. */
export const isHeavy = process.env['ASPY_TEST_HEAVY'] === '1'

/**
 * Returns how many times a random test runs: few by default, many with `npm run test:heavy`. ASPY_TEST_RUNS limits it, to
 * split a long run into pieces, each with its own seed.
 */
export const runs = (normal: number, heavy: number): number =>
  Math.min(isHeavy ? heavy : normal, Number(process.env['ASPY_TEST_RUNS'] ?? heavy))

/** Returns `count` of these cases, spread evenly, and all of them with `npm run test:heavy`. */
export const few = <T>(cases: readonly T[], count: number): T[] =>
  cases.filter((_, at) => isHeavy || (at * count) % cases.length < count)

/**
 * Returns `test` or `describe` with `npm run test:heavy`, otherwise what leaves its cases out: for one that takes long, and
 * varies what others show.
 */
export const heavily = <T>(test: T): T => (isHeavy ? test : ((() => undefined) as T))

/** Returns the seed of such a test. A failure names it. */
export const SEED = Number(process.env['ASPY_TEST_SEED'] ?? 20261122)
