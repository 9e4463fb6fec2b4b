import type { BudgetStatus } from '../../../shared/contract/budgets.ts'
import type { Health } from '../../../shared/contract/health.ts'
import type { OperationOutput, ParsedInput } from '../../../shared/contract/index.ts'
import type { ClientHandlers } from '../../clients/client-handlers.ts'
import type { SettingsInForce } from '../../config/settings-in-force.ts'
import type { Guard } from '../../guard/host/guard.ts'
import type { LiveHub } from '../../live/hub.ts'
import type { ImportRun } from '../../transcripts/host/import-run.ts'
import { imageOf } from './image-of.ts'
import type { Importer } from '../../transcripts/host/importer.ts'
import type { FullMode } from '../../tunnel/full-mode.ts'
import type { MainHandlers } from '../../dispatch/handlers.ts'
import { createAdviceHandlers } from './advice-handlers.ts'
import { createNoticeHandlers, type NoticeHandlerParts } from './notice-handlers.ts'
import { createFileHandlers } from './restore-file.ts'
import { createTeamHandlers, type TeamHandlerParts } from './team-handlers.ts'

/** The parts of the app that answer on the main thread. */
export interface MainHandlerParts extends NoticeHandlerParts {
  readonly hub: Pick<LiveHub, 'subscribe'>
  readonly importer: Pick<Importer, 'find' | 'image' | 'import'>
  readonly importRun: ImportRun
  readonly clients: ClientHandlers
  readonly settings: SettingsInForce
  readonly fullMode: Pick<FullMode, 'lease'>
  /** Knows the captured requests of a run of a client. */
  readonly runs: Readonly<Record<'of' | 'deletedOf', (run: string) => readonly string[]>>
  /** Counts the requests that the guard refused since midnight; null if recording is off. */
  readonly refusedToday: () => Promise<number | null>
  readonly guard: Pick<Guard, 'status' | 'release'>
  readonly health: () => Promise<Health>
  readonly budgets: () => Promise<readonly BudgetStatus[]>
  readonly spending: (input: ParsedInput<'budgets.forecast'>) => Promise<OperationOutput<'budgets.forecast'>>
  readonly team: TeamHandlerParts
  /** Starts a demo next to the app. */
  readonly openDemo: () => Promise<OperationOutput<'demo.open'>>
  /** Throws `conflict` if this is not a demo. */
  readonly leaveDemo: () => OperationOutput<'demo.leave'>
  /** Called when a setting was changed. */
  onSettingChanged(): void
}

/** The handlers of every operation that runs on the main thread. */
export function createMainHandlers(parts: MainHandlerParts): MainHandlers {
  const { hub, importer, importRun, clients, settings, fullMode, guard, health, budgets, spending } = parts
  const { openDemo, leaveDemo, onSettingChanged } = parts
  return {
    'live.subscribe': (input, _context, signal) => hub.subscribe(input, signal),
    'tunnel.lease': (input, _context, signal) => fullMode.lease(input, signal),
    'runs.exchanges': ({ run }) => ({ items: [...parts.runs.of(run)], deleted: [...parts.runs.deletedOf(run)] }),
    ...createNoticeHandlers(parts),
    'transcripts.find': () => importer.find(),
    'transcripts.import': ({ paths }, _context, signal) => importer.import(paths ?? null, signal),
    'transcripts.start': () => importRun.start(),
    'transcripts.stop': () => importRun.stop(),
    'transcripts.status': () => importRun.status(),
    ...clients,
    'demo.open': openDemo,
    'demo.leave': leaveDemo,
    ...createAdviceHandlers(parts.read, parts.team.dataDir),
    ...createFileHandlers(parts.read, (event) => parts.recorder.call('events.post', event)),
    'images.get': (input) => imageOf({ read: parts.read, importer, settings }, input),
    'sessions.page': async (input) => {
      // Loaded with its Markdown only once somebody makes a page.
      const { answerPage } = await import('../../session-page/answer-page.ts')
      return answerPage(parts.read, input)
    },
    'health.get': health,
    'config.get': settings.describe,
    async 'config.set'({ key, value }) {
      const setting = await settings.set(key, value)
      onSettingChanged()
      return setting
    },
    'guard.get': async () => ({ ...(await guard.status()), refused_today: await parts.refusedToday() }),
    'guard.release': (input) => guard.release(input),
    'budgets.status': async () => ({ items: [...(await budgets())] }),
    'budgets.forecast': spending,
    ...createTeamHandlers(parts.team),
  }
}
