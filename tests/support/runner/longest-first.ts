import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest test files, slowest first. A fresh clone has no recorded durations, and a slow file that starts late ends late. */
const LONGEST = [
  'integration/config/keys',
  'e2e/window-views',
  'integration/team/members',
  'integration/team/faults',
  'client/mcp',
  'e2e/window-import',
  'client/same-story',
  'integration/install/packed',
  'client/reconcile',
  'integration/cli/endings',
  'client/full-mode',
  'integration/recorder/own-code',
  'client/base-url',
  'integration/sinks/webhook',
  'integration/recorder/restart',
  'integration/store/rebuild',
  'e2e/window-lists',
  'integration/cli/commands',
  'e2e/window-team',
  'integration/sinks/otel',
  'integration/sinks/session-log',
  'integration/store/redact-past',
  'integration/app/redact-past',
  'e2e/window-long-session',
  'client/team-faults',
  'integration/export/session-page',
  'integration/cli/setup',
  'integration/security/bombs',
  'e2e/window-sessions',
  'integration/team/bad-input',
  'integration/sinks/metrics',
  'integration/guard/websocket',
  'integration/recorder/exchanges',
  'integration/redaction/hostile-text',
  'integration/security/impostor',
  'e2e/window-year',
  'integration/cli/export-claude',
  'integration/app/archive',
  'integration/recorder/long-session',
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
