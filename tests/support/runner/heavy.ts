/** Whether the tests that take long are asked for, too: `npm run test:heavy`. */
export const isHeavy = process.env['ASPY_TEST_HEAVY'] === '1'

/**
 * How often a test of random damage runs: a little on every change, a lot with `npm run test:heavy`; with
 * ASPY_TEST_RUNS no more often than that, to take a lot in pieces (each with a seed of its own).
 */
export const runs = (normal: number, heavy: number): number =>
  Math.min(isHeavy ? heavy : normal, Number(process.env['ASPY_TEST_RUNS'] ?? heavy))

/** The seed of such a test; its failure names it. */
export const SEED = Number(process.env['ASPY_TEST_SEED'] ?? 20261122)
