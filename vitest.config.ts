import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { leftOut } from './tests/support/runner/heavy-files.ts'
import { LongestFirst } from './tests/support/runner/longest-first.ts'

// Most files start threads and commands, each of which compiles the same code again. Inherited by all of them.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/**
 * One runner for all levels. `unit` stands beside its source; `integration` uses real sockets, files and threads;
 * `client` runs the real Claude Code; `browser` drives Chromium; each can be chosen with `--project`.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    exclude: [...configDefaults.exclude, ...leftOut(process.argv)],
    // Many tests wait for sockets, processes and pauses: four at a time keep two cores busy.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // No test may fail because a machine is slow: these end only what hangs.
    testTimeout: 480_000,
    hookTimeout: 480_000,
    // CI shares its machine: it repeats a failed test once, and names it at the end if it then passed.
    retry: process.env['CI'] ? 1 : 0,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000, interval: 100 } },
    // `npm test` has just built what ships: threads and commands start faster from it than from their sources.
    env: process.env['npm_lifecycle_event'] === 'test' ? { ASPY_BUNDLES: join(import.meta.dirname, 'out/main') } : {},
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './tests/support/runner/summary-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // They leave nothing behind in their process; to start one for each takes longer than most of them.
          isolate: false,
          include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
          setupFiles: ['tests/support/runner/fixed-seed.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          // Its files share a process one after the other: to load the app for each costs more than many of them do.
          isolate: false,
          include: ['tests/integration/**/*.test.ts'],
          setupFiles: ['tests/support/runner/fixed-seed.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'client',
          isolate: false,
          include: ['tests/client/**/*.test.ts'],
          globalSetup: ['tests/support/runner/client-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          // They share a Chromium, too.
          isolate: false,
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/support/runner/browser-setup.ts'],
        },
      },
    ],
  },
})
