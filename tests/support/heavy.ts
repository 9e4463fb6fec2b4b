/** Whether the tests that take long are asked for, too: `npm run test:heavy`. */
export const isHeavy = process.env['ASPY_TEST_HEAVY'] === '1'

/** How often a test of random damage runs: a little on every change, a lot with `npm run test:heavy`. */
export const runs = (normal: number, heavy: number): number => (isHeavy ? heavy : normal)

/** The seed of such a test; its failure names it. */
export const SEED = Number(process.env['ASPY_TEST_SEED'] ?? 20261122)
