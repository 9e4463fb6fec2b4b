import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest test files, slowest first. A fresh clone has no recorded durations, and a slow file that starts late ends late. */
const LONGEST = [
  'integration/config/keys',
  'client/reconcile',
  'e2e/window-views',
  'e2e/window-sessions',
  'integration/sinks/webhook',
  'integration/store/delete-forks',
  'integration/sinks/otel',
  'e2e/electron-neighbours',
  'e2e/window-year',
  'client/mcp',
  'client/planted-secrets',
  'integration/cli/commands',
  'e2e/tasks',
  'integration/recorder/bounded-memory',
  'integration/transcripts/fuzz',
  'integration/recorder/fuzz-streams',
  'integration/app/archive',
  'integration/recorder/kill-at-random',
  'integration/recall/memories-episodes',
  'integration/transcripts/follow',
  'integration/recall/quality',
  'client/run',
  'client/costs',
  'e2e/window-stream',
  'integration/app/redact-past',
  'integration/recorder/restart',
  'integration/desktop/package',
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
