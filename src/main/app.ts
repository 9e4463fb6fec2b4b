import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Config } from '../shared/config.ts'
import type { Health } from '../shared/contract/health.ts'
import { OPERATIONS } from '../shared/contract/index.ts'
import { AppOperations, budgetWatchOf, serviceWatchOf, sessionWatchOf, type SessionWatch } from './app-operations.ts'
import { claimFolder, fullModeOf, guardOf, leaveStore, passingRules, proxyOf, urlsOf } from './app-traffic.ts'
import { demoOptions, type App, type AppOptions, type StartedApp } from './app-types.ts'
import type { ServiceWatch } from './budgets/service-watch.ts'
import type { BudgetWatch } from './budgets/budget-watch.ts'
import { createSettingsInForce, type SettingsInForce } from './config/settings-in-force.ts'
import { SYSTEM_CLOCK } from './base/clock.ts'
import { openDataFolder, type Keys } from './base/data-folder.ts'
import { removeRunningNote, writeRunningNote } from './base/running-note.ts'
import { DemoBeside } from './demo/demo-beside.ts'
import type { Dispatch } from './dispatch/dispatch.ts'
import { grantsOf } from './grants.ts'
import type { Guard } from './guard/host/guard.ts'
import { createLiveHub, type LiveHub } from './live/hub.ts'
import { readLog } from './live/read-log.ts'
import type { Proxy } from './proxy/proxy.ts'
import { createTap, type Tap } from './proxy/tap.ts'
import { createSinks, type Sinks } from './sinks/host/sinks.ts'
import { readersOf, type ReaderPool } from './readers/host/pool.ts'
import { createRest } from './base/rest.ts'
import { createCallerLookup } from './dispatch/caller-lookup.ts'
import { drainTap, waitForRecorder } from './recorder/host/await-recorder.ts'
import { RecorderHost } from './recorder/host/recorder-host.ts'
import { createStopStack, type StopStack } from './base/stop-stack.ts'
import { HttpSurface } from './surfaces/http/http-surface.ts'
import { createMcpOnDemand } from './surfaces/mcp/mcp-on-demand.ts'
import { clientHomes } from './transcripts/client-folders.ts'
import { ImportRun } from './transcripts/host/import-run.ts'
import { Importer } from './transcripts/host/importer.ts'
import type { FullMode } from './tunnel/full-mode.ts'

export type { App, AppOptions, StartedApp } from './app-types.ts'

/** Time limits in ms for stopping each part. */
const DEADLINES = { http: 1000, sinks: 3000, proxy: 3000, drain: 5000, recorder: 10_000 }
/** Time in ms that `start` waits for the recorder. If it takes longer, traffic is kept in memory until it is ready. */
const RECORDER_BEGINS_MS = 3000
/** Time in ms that `start` waits for the guard, if caps are set. Until it is ready, requests wait for it. */
const GUARD_BEGINS_MS = 5000

/** The composition root: builds every part, connects them, and stops them in reverse. Does not depend on Electron. */
export function createApp(options: AppOptions): App {
  SYSTEM_CLOCK.begin()
  return new AspyApp(options)
}

class AspyApp implements App {
  readonly #options: AppOptions
  readonly #config: Config
  readonly #keys: Keys
  /** Why the data folder cannot be written; null if it can. */
  readonly #folderFault: string | null
  readonly #id = randomUUID()
  readonly #tap: Tap
  readonly #recorder: RecorderHost
  readonly #importer: Importer
  readonly #importRun: ImportRun
  readonly #sinks: Sinks
  /** null if recording is off: then there is no database to read. */
  readonly #readers: ReaderPool | null
  readonly #hub: LiveHub
  readonly #settings: SettingsInForce
  readonly #operations: AppOperations
  readonly dispatch: Dispatch
  readonly #budgetWatch: BudgetWatch
  readonly #guard: Guard
  readonly #serviceWatch: ServiceWatch
  readonly #sessionWatch: SessionWatch
  readonly #proxy: Proxy
  readonly #fullMode: FullMode
  readonly #mcp: ReturnType<typeof createMcpOnDemand>
  readonly #http: HttpSurface
  readonly #demo: DemoBeside
  /** Stops what has been started. */
  readonly #stops: StopStack
  /** Time for streams to end; null: any. */
  #streamsMs: number | null = DEADLINES.proxy
  /** Addresses, once started. */
  #urls: { readonly app: string | null; readonly proxy: string | null } = { app: null, proxy: null }

  /** Builds the parts in order. Each uses the parts before it directly, and later ones only in callbacks. */
  constructor(options: AppOptions) {
    const { dataDir, version, logger, leaveDemo = null, kept = null } = options
    const { config } = options.config
    this.#options = options
    this.#config = config
    const { keys, pathSecret, replaced, folderFault } = openDataFolder(dataDir)
    this.#keys = keys
    this.#folderFault = folderFault
    const databasePath = resolve(dataDir, config.lifestats.db_path)
    const isRecordingOn = config.lifestats.enabled
    this.#stops = createStopStack(logger)
    this.#demo = new DemoBeside((folder) => new AspyApp(demoOptions(options, folder, () => this.#urls.app)))
    this.#tap = createTap({
      maxQueueBytes: config.proxy.max_queue_bytes,
      post: (messages, transfer) => this.#recorder.post(messages, transfer),
      onPostFailure: (error) => logger.debug({ err: error }, 'the recorder accepts no messages; the tap keeps them'),
    })
    this.#recorder = this.#createRecorderHost()
    const homes = clientHomes(process.env, homedir(), config.transcripts)
    this.#importer = new Importer({ dataDir, config, homes, recorder: this.#recorder, logger })
    this.#importRun = new ImportRun({ dataDir, importer: this.#importer, logger })
    this.#sinks = createSinks({
      dataDir,
      databasePath,
      version,
      config,
      logger,
      teamHoldMs: options.teamHoldMs,
      recorder: () => this.#recorder.health(),
      health: () => this.health(),
    })
    this.#readers = isRecordingOn ? readersOf({ databasePath, dataDir, config }) : null
    this.#hub = createLiveHub(
      readLog({ call: (name, input) => this.#operations.read(name, input), isRecordingOn, logger }),
    )
    const parts = { config, dataDir, logger, tap: this.#tap, kept }
    this.#guard = guardOf(config, { dataDir, databasePath }, this.#recorder, this.#hub.reportHeld, logger)
    this.#fullMode = fullModeOf(parts, this.#guard, folderFault !== null, options.isForCommand)
    this.#settings = createSettingsInForce(options.config, {
      recording: (next) => this.#importer.reconfigure(next, () => this.#recorder.reconfigure(next, DEADLINES.recorder)),
      sinks: (next) => this.#sinks.reconfigure(next, DEADLINES.sinks),
      guard: (next) => this.#reconfigureGuard(next),
    })
    this.#operations = new AppOperations({
      databasePath,
      claudeCode: leaveDemo === null ? (options.claudeCode ?? null) : null,
      folderFault,
      replacedFiles: replaced,
      dataDir,
      config,
      version,
      id: this.#id,
      urls: () => this.#urls,
      tap: this.#tap,
      fullMode: this.#fullMode,
      kept,
      guard: this.#guard,
      recorder: this.#recorder,
      importer: this.#importer,
      importRun: this.#importRun,
      sinks: this.#sinks,
      settings: this.#settings,
      logger,
      readers: this.#readers,
      hub: this.#hub,
      openDemo: () => this.#demo.open(),
      leaveDemo,
      onSettingChanged: () => this.#budgetWatch.check(),
    })
    this.dispatch = this.#operations.dispatch
    this.#budgetWatch = budgetWatchOf(this.#operations, this.#recorder, this.#hub, isRecordingOn, logger)
    this.#serviceWatch = serviceWatchOf(this.#operations, this.#recorder, this.#hub, logger)
    this.#sessionWatch = sessionWatchOf(this.#operations, this.#hub, this.#settings, logger)
    this.#proxy = proxyOf(parts, this.#guard, pathSecret)
    this.#mcp = createMcpOnDemand({
      operations: OPERATIONS,
      dispatch: this.dispatch,
      version,
      whoCalled: createCallerLookup(this.dispatch),
      onError: (error) => logger.warn({ err: error }, 'an MCP request failed'),
    })
    this.#http = new HttpSurface({
      operations: OPERATIONS,
      dispatch: this.dispatch,
      grants: grantsOf(keys),
      allowedHosts: config.app.allowed_hosts,
      windowDir: options.windowDir,
      commands: options.commands,
      health: () => ({ id: this.#id, version, status: this.#operations.canRecord() ? 'ok' : 'degraded' }),
      metrics: () => this.#sinks.metricsPage(),
      mcp: this.#mcp.fetch,
      onRefusedBody: () => this.#recorder.countRefusedHook(),
      ...(kept === null ? {} : { listen: kept.listen('app') }),
      version,
      logger,
    })
  }

  #createRecorderHost(): RecorderHost {
    const { dataDir, version, logger, undo, leaveDemo } = this.#options
    return new RecorderHost({
      dataDir,
      config: this.#config,
      appVersion: version,
      isDemo: leaveDemo !== undefined,
      undo,
      logger,
      onAcknowledge: (exchange) => {
        this.#tap.acknowledge(exchange)
        this.#guard.recorded(exchange)
      },
      onHook: () => this.#tap.flush(),
      onLeftOut: (answers) => [this.#tap.runs, this.#guard].forEach((each) => each.leftOut(answers)),
      onReady: (mayFollow) => {
        this.#tap.replay()
        if (this.#options.isForCommand !== true) this.#importRun.resume(mayFollow)
      },
      onLive: ({ events, deltas, corrected }) => {
        this.#hub.publish(events, deltas, corrected)
        this.#sinks.committed(events)
        if (events.some(({ kind }) => kind === 'api_usage')) this.#budgetWatch.check()
        if (this.#readers === null) return
        for (const watch of [this.#serviceWatch, this.#sessionWatch]) watch.committed(events)
      },
    })
  }

  #reconfigureGuard(next: Config): Promise<void> {
    this.#options.kept?.follow(passingRules(next, this.#options.dataDir))
    return this.#guard.reconfigure(next.guard, GUARD_BEGINS_MS)
  }

  async start(): Promise<StartedApp> {
    try {
      return await this.#startParts()
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  async #startParts(): Promise<StartedApp> {
    const { dataDir, logger, leaveDemo, kept } = this.#options
    const isDemo = leaveDemo !== undefined
    // Readers stop before the recorder, which then checkpoints the write-ahead log into the database.
    this.#stops.push(() => this.#recorder.stop(DEADLINES.recorder))
    this.#stops.push(async () => this.#readers?.close())
    const claimed = await claimFolder(this.#options, resolve(dataDir, this.#config.lifestats.db_path))
    this.#recorder.start()
    // A demo sends nothing to sinks.
    if (!isDemo) this.#sinks.start()
    // Sinks stop after the tap is drained, so they see the last capture. Anything later is sent after the next start.
    this.#stops.push(() => this.#sinks.stop(DEADLINES.sinks))
    if (!isDemo)
      this.#stops.push(this.#settings.follow((err) => logger.warn({ err }, 'the config file is not followed')))
    this.#stops.push(() => Promise.all([this.#importer.stop(), this.#operations.fileWatch.close()]))
    const deadlineMs = isDemo ? null : DEADLINES.drain
    this.#stops.push(() => drainTap({ tap: this.#tap, recorder: this.#recorder, logger, deadlineMs }))
    kept?.follow(passingRules(this.#settings.config(), dataDir))
    this.#stops.push(() => Promise.all([this.#proxy.close(this.#streamsMs), this.#fullMode.close(this.#streamsMs)]))
    // Begins before the proxies, so that no request is early, and ends before them: requests that wait would hold them open.
    const guarded = this.#guard.start(GUARD_BEGINS_MS)
    this.#stops.push(() => this.#guard.close())
    const proxyPort = (await this.#proxy.listen()).port
    const tunnelPort = await this.#fullMode.start()
    await guarded
    this.#stops.push(createRest(() => this.#proxy.inFlight() + this.#fullMode.inFlight() > 0).stop)
    for (const part of [this.#hub, this.#budgetWatch, this.#serviceWatch]) this.#stops.push(() => part.close())
    if (isDemo) {
      // Loaded here, because no other app needs it.
      const { startDemo } = await import('./demo/start-demo.ts')
      const to = { tap: this.#tap, recorder: this.#recorder }
      const demo = startDemo(to, resolve(dataDir, 'dev'), logger, this.#options.ending)
      this.#stops.push(demo.stop)
      await demo.written
    }
    const ports = { proxy: proxyPort, app: await this.#http.start(this.#config.app.port), tunnel: tunnelPort }
    this.#stops.push(() => this.#http.stop(DEADLINES.http))
    this.#stops.push(() => this.#mcp.close())
    this.#stops.push(() => this.#demo.close())
    const urls = (this.#urls = urlsOf(ports))
    if (this.#folderFault === null) {
      writeRunningNote(dataDir, { pid: process.pid, id: this.#id, ports })
      this.#stops.push(() => removeRunningNote(dataDir, this.#id))
      const follow = () => kept?.follow(passingRules(this.#settings.config(), dataDir))
      this.#stops.push(this.#operations.place.watch(dataDir, follow))
    }
    this.#stops.push(this.#operations.watchStore(claimed, logger))
    kept?.ready(this.#folderFault === null)
    await waitForRecorder(this.#recorder, RECORDER_BEGINS_MS)
    return { ...urls, token: this.#keys.token, data: dataDir, id: this.#id }
  }

  async handOver(): Promise<void> {
    // At once: the next message of a client goes to the app that takes this one's place.
    this.#proxy.renewSockets()
    this.#guard.handOver()
    await leaveStore(this.#importer, this.#recorder)
    await Promise.all([this.#readers?.close(), this.#sinks.stop(DEADLINES.sinks)])
  }

  async stop(streamsMs: number | null = DEADLINES.proxy): Promise<void> {
    this.#streamsMs = streamsMs
    await this.#stops.unwind()
  }

  readonly health = (): Promise<Health> => this.#operations.health()

  clients(): number {
    return this.#proxy.inFlight() + this.#fullMode.clients() + this.#hub.readers
  }
  readonly inUse = () => this.#proxy.inFlight() + this.#fullMode.health().open
}
