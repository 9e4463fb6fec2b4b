import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { AspyError } from '../shared/contract/errors.ts'
import type { Health } from '../shared/contract/health.ts'
import { OPERATIONS } from '../shared/contract/index.ts'
import type { OperationInput, OperationName } from '../shared/contract/index.ts'
import { budgetStandings } from './budgets/budget-standings.ts'
import { createBudgetWatch } from './budgets/budget-watch.ts'
import { callOperation } from './dispatch/call-operation.ts'
import { createSetupInApp, type ClaudeCodePlace } from './clients/claude-code/setup/setup-in-app.ts'
import type { LoadedConfig } from './config/load-config.ts'
import { createSettingsInForce } from './config/settings-in-force.ts'
import { findRunningApp, openDataFolder, removeRunningNote, writeRunningNote } from './base/data-folder.ts'
import { startDemo } from './demo/start-demo.ts'
import { createDispatch } from './dispatch/dispatch.ts'
import type { Dispatch } from './dispatch/dispatch.ts'
import { grantsOf } from './grants.ts'
import { gatherHealth } from './health/gather-health.ts'
import { healStore } from './health/heal-store.ts'
import { createTotals } from './health/totals.ts'
import { createLiveHub } from './live/hub.ts'
import { readLog } from './live/read-log.ts'
import { createMainHandlers } from './operations/main/main-handlers.ts'
import { createProxy } from './proxy/proxy.ts'
import { createTap } from './proxy/tap.ts'
import { createSinks } from './sinks/host/sinks.ts'
import { ReaderPool } from './readers/host/pool.ts'
import { createRest } from './base/rest.ts'
import { createCallerLookup } from './dispatch/caller-lookup.ts'
import { drainTap, waitForRecorder } from './recorder/host/await-recorder.ts'
import { RecorderHost } from './recorder/host/recorder-host.ts'
import { createStopStack } from './base/stop-stack.ts'
import { damagedDatabases } from './store/transfer/set-aside.ts'
import { HttpSurface } from './surfaces/http/http-surface.ts'
import { createMcpOnDemand } from './surfaces/mcp/mcp-on-demand.ts'
import { claudeFolders } from './clients/claude-code/claude-folders.ts'
import { createImporter } from './transcripts/host/importer.ts'

export interface AppOptions {
  readonly dataDir: string
  readonly config: LoadedConfig
  readonly version: string
  /** The built window. */
  readonly windowDir: string
  readonly logger: Logger
  readonly isDemo?: boolean
  /** Where Claude Code may be set up from the window; absent, and always in a demo: nowhere. */
  readonly claudeCode?: ClaudeCodePlace
}

/** Where a started app is found. */
export interface StartedApp {
  readonly proxy: string
  readonly app: string
  /** The key that opens everything. */
  readonly token: string
  readonly data: string
  /** Random, of this run. */
  readonly id: string
}

export interface App {
  /** The one door, for the window's IPC. */
  readonly dispatch: Dispatch
  /** Throws `port_taken`, `already_running`; a folder that cannot be written is no reason not to start. */
  start(): Promise<StartedApp>
  /** Ends everything in reverse order. */
  stop(): Promise<void>
  health(): Promise<Health>
  /** Clients that use the app now: requests under way and readers of the live feed. */
  clients(): number
}

/** How long each part may take to end, in ms. */
const DEADLINES = { http: 1000, sinks: 3000, proxy: 3000, drain: 5000, recorder: 10_000 }

/** A recorder that takes longer begins when it can: traffic passes, and waits for it in memory. */
const RECORDER_BEGINS_MS = 3000

/** The composition root: builds every part, ties them together, ends them in reverse. Knows nothing of Electron. */
export function createApp(options: AppOptions): App {
  const { dataDir, config: loaded, version, windowDir, logger, isDemo = false } = options
  const { config } = loaded
  const { keys, folderFault } = openDataFolder(dataDir)
  const id = randomUUID()
  const startedAt = new Date().toISOString()
  const databasePath = resolve(dataDir, config.lifestats.db_path)
  let proxyUrl: string | null = null
  let appUrl: string | null = null
  const stops = createStopStack(logger)

  const tap = createTap({
    maxQueueBytes: config.proxy.max_queue_bytes,
    post: (messages, transfer) => recorder.post(messages, transfer),
    onPostFailure: (error) => logger.debug({ err: error }, 'the recorder takes nothing now; the tap keeps it'),
  })
  const recorder = new RecorderHost({
    dataDir,
    config,
    appVersion: version,
    isDemo,
    logger,
    onAcknowledge: (exchange) => tap.acknowledge(exchange),
    onReady() {
      tap.replay()
      importer.follow()
    },
    onLive({ events, deltas }) {
      hub.publish(events, deltas)
      sinks.committed(events)
      if (events.some(({ kind }) => kind === 'api_usage')) budgetWatch.look()
    },
    onStatus: () => undefined,
  })
  const importer = createImporter({
    dataDir,
    config,
    claudeFolders: claudeFolders(process.env, homedir()),
    recorder,
    logger,
  })
  const sinks = createSinks({
    dataDir,
    databasePath,
    version,
    config,
    logger,
    recorder: () => recorder.health(),
    health,
  })
  const settings = createSettingsInForce(loaded, {
    async recording(next) {
      await recorder.reconfigure(next, DEADLINES.recorder)
      await importer.reconfigure(next)
    },
    sinks: (next) => sinks.reconfigure(next, DEADLINES.sinks),
  })
  const readers = config.lifestats.enabled ? new ReaderPool({ databasePath, prices: config.pricing.models }) : null
  const hub = createLiveHub(readLog({ call: callJson, isRecordingOn: config.lifestats.enabled, logger }))
  const setupInApp = createSetupInApp({
    dataDir,
    place: isDemo ? null : (options.claudeCode ?? null),
    urls: () => ({ app: appUrl, proxy: proxyUrl }),
  })
  const dispatch = createDispatch({
    readers,
    recorder,
    main: createMainHandlers({
      hub,
      recorder,
      importer,
      setupInApp,
      settings,
      health,
      budgets: () => standings(),
      kept: async (session_id) => (config.lifestats.enabled ? callJson('sessions.kept', { session_id }) : null),
      onSettingChanged: () => budgetWatch.look(),
    }),
  })
  const standings = () => budgetStandings(settings.config(), (input) => callJson('costs.spent', input), new Date())
  const budgetWatch = createBudgetWatch({
    standings: async () => (config.lifestats.enabled ? standings() : []),
    keep: async (told) => (await recorder.command('budgets.told', told)).done,
    tell: (reached) => hub.tellBudgets(reached),
    logger,
  })
  const recorded = () => {
    const { events, sightings } = recorder.health()
    return events + sightings
  }
  const totals = createTotals(dispatch, databasePath, recorded)
  const proxy = createProxy({
    host: '127.0.0.1',
    port: config.proxy.port,
    upstream: new URL(config.proxy.upstream),
    tap,
    allowedHosts: config.app.allowed_hosts,
    logger,
  })
  const mcp = createMcpOnDemand({
    operations: OPERATIONS,
    dispatch,
    version,
    whoCalled: createCallerLookup(dispatch),
    onError: (error) => logger.warn({ err: error }, 'an MCP request failed'),
  })
  const http = new HttpSurface({
    operations: OPERATIONS,
    dispatch,
    grants: grantsOf(keys),
    allowedHosts: config.app.allowed_hosts,
    windowDir,
    health: () => ({ id, version, status: isRecording() ? 'ok' : 'degraded' }),
    metrics: () => sinks.metricsPage(),
    mcp: mcp.fetch,
    version,
    logger,
  })

  /** As a reader, whoever asked. */
  function callJson<Name extends OperationName>(name: Name, input: OperationInput<Name>) {
    return callOperation(dispatch, name, input, { access: 'read' })
  }

  function isRecording(): boolean {
    return folderFault === null && (!config.lifestats.enabled || recorder.health().state === 'running')
  }

  async function health(): Promise<Health> {
    return gatherHealth({
      run: {
        id,
        version,
        pid: process.pid,
        started_at: startedAt,
        proxy_url: proxyUrl,
        app_url: appUrl,
        data: dataDir,
        upstream: config.proxy.upstream,
        max_queue_bytes: config.proxy.max_queue_bytes,
      },
      isRecordingOn: config.lifestats.enabled,
      tap: tap.stats(),
      recorder: recorder.health(),
      sinks: sinks.status(),
      folderFault,
      setAside: damagedDatabases(databasePath),
      totals: await totals(),
    })
  }

  async function start(): Promise<StartedApp> {
    // Readers end before the recorder, which then folds the write-ahead log into the database.
    stops.push(() => recorder.stop(DEADLINES.recorder))
    stops.push(async () => readers?.close())
    const wasUnclean = existsSync(join(dataDir, 'app.json'))
    const running = await findRunningApp(dataDir)
    if (running !== null) {
      throw new AspyError('already_running', `Aspy already serves ${dataDir} at ${running.appUrl} (pid ${running.pid})`)
    }
    recorder.start()
    // What the demo makes up is nobody's business.
    if (!isDemo) sinks.start()
    // What was captured last is recorded by then; what is recorded after it follows at the next start.
    stops.push(() => sinks.stop(DEADLINES.sinks))
    stops.push(() => importer.stop())
    stops.push(() => drainTap({ tap, recorder, logger, deadlineMs: DEADLINES.drain }))
    const proxyPort = (await proxy.listen()).port
    stops.push(() => proxy.close(DEADLINES.proxy))
    stops.push(createRest(() => proxy.inFlight() > 0).stop)
    stops.push(() => hub.close())
    stops.push(() => budgetWatch.close())
    if (isDemo) {
      const since = (after: number, limit: number) => callJson('live.since', { after, limit })
      stops.push(startDemo({ importerPort: () => recorder.importerPort(), publish: hub.publish, since, logger }))
    }
    const appPort = await http.start(config.app.port)
    stops.push(() => http.stop(DEADLINES.http))
    stops.push(() => mcp.close())
    proxyUrl = `http://127.0.0.1:${proxyPort}`
    appUrl = `http://127.0.0.1:${appPort}`
    if (folderFault === null) {
      writeRunningNote(dataDir, { pid: process.pid, id, ports: { proxy: proxyPort, app: appPort } })
      stops.push(() => removeRunningNote(dataDir, id))
    }
    if (wasUnclean && readers !== null) {
      void healStore({
        check: () => callJson('store.check', {}),
        rebuild: () => recorder.call('store.rebuild', {}),
        setAside: (reason) => recorder.command('store.set_aside', { reason }),
        logger,
      })
    }
    await waitForRecorder(recorder, RECORDER_BEGINS_MS)
    return { proxy: proxyUrl, app: appUrl, token: keys.token, data: dataDir, id }
  }

  return {
    dispatch,
    async start() {
      try {
        return await start()
      } catch (error) {
        await stops.unwind()
        throw error
      }
    },
    stop: stops.unwind,
    health,
    clients: () => proxy.inFlight() + hub.readers,
  }
}
