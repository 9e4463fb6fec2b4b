import { isHeavy } from './heavy.ts'

/**
 * Test files that run with `npm run test:heavy`, or if a run names files: what each shows is shown in a simpler case by the
 * file behind it, which always runs.
 */
export const HEAVY_FILES: Readonly<Record<string, string>> = {
  'client/advice-fixes': 'integration/advice/decided',
  'client/cache-causes': 'integration/ledger/captured-causes',
  'client/carry': 'integration/ledger/life-cost',
  'client/export-ccusage': 'integration/cli/export-claude',
  'client/resume-truth': 'integration/operations/resume-truth',
  'client/series': 'client/keeper',
  'client/team-faults': 'integration/team/sending',
  'client/waits': 'client/notices',
  'e2e/electron-faults': 'e2e/electron',
  'e2e/electron-neighbours': 'e2e/electron',
  'e2e/first-run': 'integration/demo/demo-beside',
  'e2e/tasks': 'e2e/six-tasks',
  'e2e/window-hands': 'e2e/window-views',
  'e2e/window-import': 'e2e/import-offer',
  'e2e/window-session-walk': 'e2e/window-sessions',
  'e2e/window-stream': 'e2e/window-live',
  'e2e/window-year': 'e2e/window-long-session',
  'integration/advice/planted-wastes': 'integration/advice/kinds-of-waste',
  'integration/app/export-parquet': 'integration/cli/export-parquet',
  'integration/desktop/package': 'e2e/electron',
  'integration/keeper/blind-tunnel': 'integration/tunnel/blind',
  'integration/ledger/carry-weeks': 'integration/ledger/life-cost',
  'integration/ledger/demo-causes': 'integration/ledger/captured-causes',
  'integration/operations/file-commands': 'integration/operations/file-scenes',
  'integration/operations/file-losses': 'integration/operations/file-truth',
  'integration/recorder/bounded-memory': 'integration/store/held-memory',
  'integration/recorder/long-session': 'integration/recorder/requests',
  'integration/release/desktop-steps': 'integration/release/release',
  'integration/release/rehearsal': 'integration/release/release',
  'integration/store/delete-forks': 'integration/store/delete',
  'integration/store/rebuild-afterwards': 'integration/store/rebuild',
  'integration/store/rebuild-live': 'integration/store/rebuild-again',
  'integration/team/faults': 'integration/team/sending',
  'integration/team/full-disk': 'integration/team/bad-input',
  'integration/team/plans': 'integration/team/lists',
  'integration/team/replicate': 'integration/team/reading',
  'integration/team/sums': 'integration/team/lists',
  'integration/team/two-laptops': 'integration/team/bad-input',
  'integration/transcripts/fork-order': 'integration/transcripts/links',
  'integration/transcripts/hostile-rollouts': 'integration/transcripts/rollouts',
}

/** Returns the path of a test file that is named as above, from the root of the repository. */
export const pathOf = (name: string): string => `tests/${name}.test.ts`

/** Returns the files that a run with these words leaves out: none, if they name a file. */
export const leftOut = (words: readonly string[], isHeavyRun = isHeavy): string[] =>
  isHeavyRun || !words.includes('run') || words.some((word) => word.includes('.test.ts'))
    ? []
    : Object.keys(HEAVY_FILES).map(pathOf)
