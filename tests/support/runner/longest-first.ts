import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest test files, slowest first. A fresh clone has no recorded durations, and a slow file that starts late ends late. */
const LONGEST = [
  'e2e/window-views',
  'e2e/window-widths',
  'integration/config/keys',
  'client/reconcile',
  'e2e/window-sessions',
  'integration/app/redact-past',
  'integration/team/faults',
  'integration/team/members',
  'e2e/window-team',
  'integration/cli/commands',
  'integration/keeper/keeper',
  'integration/install/packed',
  'e2e/window-stream',
  'e2e/window-files',
  'e2e/window-delete',
  'client/codex-keeper',
  'e2e/window-hostile',
  'client/full-mode',
  'integration/cli/endings',
  'integration/keeper/gone',
  'integration/sinks/webhook',
  'integration/transcripts/copied-ids',
  'integration/sinks/otel',
  'e2e/window-lists',
  'integration/transcripts/rollouts',
  'client/keeper',
  'integration/security/bombs',
  'client/team-faults',
  'e2e/window-long-session',
  'integration/recorder/restart',
  'e2e/window-guard',
  'integration/team/unshare',
  'integration/team/bad-input',
  'e2e/settings',
  'e2e/window-year',
  'client/stories',
  'client/same-story',
  'e2e/first-run',
  'e2e/window-import',
  'client/codex-full',
  'client/mcp',
  'integration/release/rehearsal',
  'e2e/window-hands',
  'client/cache-causes',
  'integration/store/rebuild',
  'integration/guard/bounds',
]

/** Starts the slowest files first, then the others in Vitest's order, and unit tests last, sequentially in one process. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      if (project.name === 'unit') return LONGEST.length + 1
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/tests/${name}.test.ts`))
      return at < 0 ? LONGEST.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}
