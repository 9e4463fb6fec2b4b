import { type BudgetWatch, createBudgetWatch } from './budgets/budget-watch.ts'
import { healOnceADay } from './health/heal-store.ts'
import type { Logger } from 'pino'
import type { Config } from '../shared/config.ts'
import { AspyError } from '../shared/contract/errors.ts'
import type { Health } from '../shared/contract/health.ts'
import type { OperationInput, OperationName, OperationOutput } from '../shared/contract/index.ts'
import type { EventSummary } from '../shared/live-feed.ts'
import { comparePackageFiles, type PackageFiles } from './health/package-files.ts'
import { FolderPlace } from './base/folder-place.ts'
import { openDataFolder } from './base/data-folder.ts'
import { budgetStatuses } from './budgets/budget-statuses.ts'
import { ServiceWatch } from './budgets/service-watch.ts'
import { spendingView } from './budgets/spending-view.ts'
import { createClientHandlers } from './clients/client-handlers.ts'
import { createSetupInApp, type ClaudeCodePlace } from './clients/claude-code/setup/setup-in-app.ts'
import type { SettingsInForce } from './config/settings-in-force.ts'
import { callOperation } from './dispatch/call-operation.ts'
import { createDispatch, type Dispatch } from './dispatch/dispatch.ts'
import { FileWatch } from './file-watch/host/file-watch.ts'
import type { Guard } from './guard/host/guard.ts'
import { gatherHealth } from './health/gather-health.ts'
import type { HealthFacts } from './health/health-facts.ts'
import { unfilled } from './health/keeper-warnings.ts'
import { createTotals } from './health/totals.ts'
import type { Kept } from './keeper/kept.ts'
import type { LiveHub } from './live/hub.ts'
import { createMainHandlers } from './operations/main/main-handlers.ts'
import type { Tap } from './proxy/tap.ts'
import type { Readers } from './dispatch/readers.ts'
import type { RecorderHost } from './recorder/host/recorder-host.ts'
import type { Sinks } from './sinks/host/sinks.ts'
import { ResumeWatch } from './notices/resume-watch.ts'
import { waitingNews } from './notices/waiting-news.ts'
import { damagedDatabases } from './store/transfer/set-aside.ts'
import type { FullMode } from './tunnel/full-mode.ts'
import type { ImportRun } from './transcripts/host/import-run.ts'
import type { Importer } from './transcripts/host/importer.ts'

/** How the app before left the data folder: see `claimFolder`. */
interface Claimed {
  readonly wasUnclean: boolean
  readonly lostLogSince: string | null
}

export interface AppOperationsOptions {
  readonly databasePath: string
  /** null if the window must not set up Claude Code. */
  readonly claudeCode: ClaudeCodePlace | null
  /** Why the data folder cannot be written; null if it can. */
  readonly folderFault: string | null
  readonly replacedFiles: HealthFacts['replacedFiles']
  readonly dataDir: string
  readonly config: Config
  readonly version: string
  /** ID of this run. */
  readonly id: string
  /** Addresses of the app; null until it has started. */
  readonly urls: () => { readonly app: string | null; readonly proxy: string | null }
  readonly tap: Tap
  readonly fullMode: FullMode
  /** null if no keeper started this app. */
  readonly kept: Pick<Kept, 'facts' | 'passed' | 'markIn'> | null
  readonly guard: Guard
  readonly recorder: RecorderHost
  readonly importer: Importer
  readonly importRun: ImportRun
  readonly sinks: Sinks
  readonly settings: SettingsInForce
  readonly logger: Logger
  /** null if recording is off: then there is no database to read. */
  readonly readers: Readers | null
  readonly hub: LiveHub
  readonly openDemo: () => Promise<OperationOutput<'demo.open'>>
  /** Leaves this demo; null if the app is not one. */
  readonly leaveDemo: (() => string | null) | null
  /** Called after a setting has changed. */
  readonly onSettingChanged: () => void
}

/** The operations of an app: dispatch over its parts, and the answers that combine several parts. Holds no life cycle. */
export class AppOperations {
  readonly dispatch: Dispatch
  readonly fileWatch: FileWatch
  readonly place = new FolderPlace()
  readonly #options: AppOperationsOptions
  #isFolderRegained = false
  readonly #startedAt = new Date().toISOString()
  readonly #totals: ReturnType<typeof createTotals>
  /** The comparison of the running files with their package, made once. */
  #files: Promise<PackageFiles> | null = null
  #lostLogSince: string | null = null

  constructor(options: AppOperationsOptions) {
    options.kept?.markIn(options.recorder)
    const { dataDir, databasePath, config, urls, recorder, importer, settings, readers, hub, onSettingChanged } =
      options
    this.#options = options
    const setupInApp = createSetupInApp({
      dataDir,
      place: options.claudeCode,
      urls,
      upstream: config.proxy.upstream,
      watchesFiles: () => settings.config().files.watch_changes,
    })
    this.fileWatch = new FileWatch({
      dataDir,
      isOn: () => {
        const { files, lifestats } = settings.config()
        return files.watch_changes && lifestats.store_tool_io && readers !== null && options.folderFault === null
      },
      record: (hook) => recorder.hook(hook),
      logger: options.logger,
    })
    this.dispatch = createDispatch({
      readers,
      recorder,
      main: createMainHandlers({
        hub,
        recorder,
        refusedToday: async () => (readers === null ? null : (await this.read('guard.refused', today())).requests),
        runs: options.tap.runs,
        importer,
        importRun: options.importRun,
        clients: createClientHandlers(setupInApp),
        settings,
        fullMode: options.fullMode,
        guard: options.guard,
        health: () => this.health(),
        budgets: () => this.budgets(),
        spending: (input) => spendingView(options.settings.config(), (spans) => this.read('costs.spent', spans), input),
        recordedCounts: async (session_id) => (readers === null ? null : this.read('sessions.kept', { session_id })),
        team: {
          dataDir,
          settings: () => settings.config().team,
          sessions: async () => (readers === null ? [] : (await this.read('team.projects', {})).items),
        },
        openDemo: options.openDemo,
        leaveDemo: () => ({ link: leaveOf(options)() }),
        read: (name, input) => this.read(name, input),
        fileWatch: this.fileWatch,
        onSettingChanged,
      }),
    })
    this.#totals = createTotals(this.dispatch, databasePath, () => {
      const { events, sightings } = recorder.health()
      return events + sightings
    })
  }

  /** Runs a reading operation with a reader's rights, whoever the caller is. */
  read<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>> {
    return callOperation(this.dispatch, name, input, { access: 'read' })
  }

  /** Returns when requests of a session passed unrecorded; null if the session or the store cannot be read. */
  readonly #marksOf = (session_id: string): Promise<readonly string[] | null> =>
    this.read('sessions.get', { session_id }).then(
      ({ unrecorded = [] }) => unrecorded,
      () => null,
    )

  /** Returns the state of every budget in its current period. */
  budgets(): ReturnType<typeof budgetStatuses> {
    return budgetStatuses(this.#options.settings.config(), (input) => this.read('costs.spent', input), new Date())
  }

  /** Checks the store after an unclean stop and once a day, and repairs it. Returns a function that ends it. */
  watchStore({ wasUnclean, lostLogSince }: Claimed, logger: Logger): () => void {
    const { dataDir, recorder, readers } = this.#options
    this.#lostLogSince = lostLogSince
    if (readers === null) return () => undefined
    return healOnceADay(dataDir, wasUnclean, {
      check: () => this.read('store.check', {}),
      rebuild: () => recorder.call('store.rebuild', {}),
      salvage: (reason) => recorder.command('store.salvage', { reason }),
      logger,
    })
  }

  /** Returns whether captured traffic is stored. Also true if recording is off, since then nothing is lost. */
  canRecord(): boolean {
    const { readers, recorder } = this.#options
    return (
      !this.place.isGone &&
      this.#folder().folderFault === null &&
      (readers === null || recorder.health().state === 'running')
    )
  }

  /** The fault of the folder at the start is over once the recorder writes and the folder can be opened. */
  #folder(): Pick<HealthFacts, 'folderFault' | 'isFolderRegained'> {
    const { folderFault, dataDir, recorder, readers } = this.#options
    if (folderFault !== null && !this.#isFolderRegained && (readers === null || recorder.health().state === 'running'))
      this.#isFolderRegained = openDataFolder(dataDir).folderFault === null
    return { folderFault: this.#isFolderRegained ? null : folderFault, isFolderRegained: this.#isFolderRegained }
  }

  async health(): Promise<Health> {
    const { dataDir, databasePath, replacedFiles, config, tap, recorder, sinks, readers, kept } = this.#options
    return gatherHealth({
      files: await (this.#files ??= comparePackageFiles()),
      run: {
        id: this.#options.id,
        version: this.#options.version,
        pid: process.pid,
        ...(this.#options.leaveDemo === null ? {} : { is_demo: true as const }),
        started_at: this.#startedAt,
        proxy_url: this.#options.urls().proxy,
        app_url: this.#options.urls().app,
        tunnel: this.#options.fullMode.url,
        tunnels: this.#options.fullMode.health(),
        data: dataDir,
        upstream: config.proxy.upstream,
        upstreams: config.proxy.upstreams,
        max_queue_bytes: config.proxy.max_queue_bytes,
      },
      isRecordingOn: readers !== null,
      tap: tap.stats(),
      recorder: recorder.health(),
      sinks: sinks.status(),
      ...this.#folder(),
      isFolderGone: this.place.isGone,
      ...(kept === null ? {} : { keeper: { ...kept.facts(), passed: await unfilled(kept.passed, this.#marksOf) } }),
      replacedFiles,
      setAside: damagedDatabases(databasePath),
      lostLogSince: this.#lostLogSince,
      guardPassed: this.#options.guard.tally.status().passed,
      configFault: this.#options.settings.fault(),
      ...(await this.#totals()),
    })
  }
}

function leaveOf({ leaveDemo }: AppOperationsOptions): () => string | null {
  if (leaveDemo === null) throw new AspyError('conflict', 'this is not a demo')
  return leaveDemo
}

/** Reports each mark of a budget once; without recording, nothing is known to be spent. */
export function budgetWatchOf(
  operations: Pick<AppOperations, 'budgets'>,
  recorder: Pick<RecorderHost, 'command'>,
  hub: Pick<LiveHub, 'reportBudgets'>,
  isRecordingOn: boolean,
  logger: Logger,
): BudgetWatch {
  return createBudgetWatch({
    statuses: async () => (isRecordingOn ? operations.budgets() : []),
    store: async (mark) => (await recorder.command('budgets.reported', mark)).done,
    report: (reached) => hub.reportBudgets(reached),
    logger,
  })
}

/** Creates the watch over limits and how requests are served. */
export function serviceWatchOf(
  operations: Pick<AppOperations, 'read'>,
  recorder: Pick<RecorderHost, 'command'>,
  hub: Pick<LiveHub, 'reportNews'>,
  logger: Logger,
): ServiceWatch {
  return new ServiceWatch({
    limits: () => operations.read('limits.now', {}),
    served: () => operations.read('served.list', { since: '1d' }),
    store: async (mark) => (await recorder.command('budgets.reported', mark)).done,
    report: (news) => hub.reportNews(news),
    logger,
  })
}

/** Takes committed events as they come. */
export interface SessionWatch {
  committed(events: readonly EventSummary[]): void
}

/** Creates the watch over resumes that lose part of their session, and over clients that wait for the person. */
export function sessionWatchOf(
  operations: Pick<AppOperations, 'read'>,
  hub: Pick<LiveHub, 'reportNews'>,
  settings: SettingsInForce,
  logger: Logger,
): SessionWatch {
  const resumes = new ResumeWatch({
    truth: (session_id) => operations.read('sessions.resume_truth', { session_id }),
    report: (news) => hub.reportNews(news),
    onError: (error) => logger.warn({ err: error }, 'could not check what a resume carried'),
  })
  return {
    committed(events) {
      resumes.committed(events)
      const waiting = settings.config().notices.client_waits ? waitingNews(events, Date.now()) : []
      if (waiting.length > 0) hub.reportNews(waiting)
    },
  }
}

/** Returns the beginning of this day, here. */
const today = () => ({ since: new Date(new Date().setHours(0, 0, 0, 0)).toISOString() })
