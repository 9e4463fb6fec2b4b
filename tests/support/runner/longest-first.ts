import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest test files, slowest first. A fresh clone has no recorded durations, and a slow file that starts late ends late. */
const LONGEST = [
  'integration/keeper/keeper',
  'integration/team/members',
  'integration/keeper/series',
  'client/typed',
  'e2e/window-widths',
  'client/run',
  'client/full-mode',
  'integration/team/unshare',
  'e2e/window-sessions',
  'e2e/window-team',
  'integration/app/redact-past',
  'integration/config/keys',
  'e2e/window-long-session',
  'integration/sinks/webhook',
  'integration/cli/commands',
  'e2e/six-tasks',
  'integration/recorder/restart',
  'client/reconcile',
  'client/mcp',
  'client/codex-keeper',
  'integration/team/bad-input',
  'integration/operations/file-truth',
  'client/same-story',
  'integration/recorder/own-code',
  'integration/cli/endings',
  'integration/install/packed',
  'integration/transcripts/rollouts',
  'integration/guard/bounds',
  'integration/app/archive',
  'client/stories',
  'e2e/window-money',
  'e2e/window-delete',
  'integration/store/rebuild',
  'integration/transcripts/import',
  'integration/config/set',
  'e2e/window-connection',
  'client/keeper',
  'e2e/window-recall',
  'e2e/window-views',
  'e2e/settings-claude-code',
]

/** Levels in the order in which they start: files of one share processes and a Chromium, which another level ends. */
const LEVELS = ['browser', 'client', 'integration', 'unit']

/** Starts one level after the other, and of each the slowest files first, then the others in Vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/tests/${name}.test.ts`))
      return LEVELS.indexOf(project.name) * (LONGEST.length + 1) + (at < 0 ? LONGEST.length : at)
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}
