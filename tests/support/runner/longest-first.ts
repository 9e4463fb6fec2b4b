import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, the longest first: a fresh clone remembers no durations, and one that begins late ends late. */
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

/** Starts the longest files first, then the others as Vitest does; unit tests last, one after the other in a process. */
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
