import { join, resolve } from 'node:path'
import { createOwnCode } from '../../pipeline/custom/own-code.ts'
import { createPipeline } from '../../pipeline/pipeline.ts'
import type { PipelineOptions } from '../../pipeline/pipeline.ts'
import { pipelineSteps } from '../../pipeline/processors/list.ts'
import { createMeasures } from '../../sinks/measures.ts'
import { createSessionLog } from '../../sinks/recorder/session-log.ts'
import { withOwnPrices } from '../../store/pricing/pricing.ts'
import { openStore } from '../../store/open-store.ts'
import { createPreparedPayloads } from '../../store/projections/prepared-payloads.ts'
import { setAside } from '../../store/transfer/set-aside.ts'
import type { AppendResult } from '../../store/ingest/ingest.ts'
import type { Tombstone } from '../../store/delete/tombstones.ts'
import { createAgentCalls } from './capture/agent-calls.ts'
import { createCalls } from './calls.ts'
import { createCommitQueue } from './write/commit-queue.ts'
import type { CommitGroup } from './write/commit-queue.ts'
import { createCommits } from './write/commits.ts'
import { createConversations } from './capture/conversation.ts'
import { createExchanges } from './capture/exchanges.ts'
import { createHookIntake } from './capture/hook-intake.ts'
import { createIdleWork } from './idle-work.ts'
import { ImportLane } from './write/import-lane.ts'
import { createLiveFeed } from '../live-feed.ts'
import { draftOfPost } from './capture/post-event.ts'
import type { FromRecorder, RecorderStart, ToRecorder } from '../protocol.ts'
import { createStatusReport } from './status-report.ts'
import { SpoolingGate } from './write/store-gate.ts'
import type { StoreGateOptions } from './write/store-gate.ts'
import { createTally } from '../tally.ts'
import { createTapInbox } from './capture/tap-inbox.ts'
import { createUnstoredGate } from './write/unstored-gate.ts'
import { createUpkeep } from './upkeep/upkeep.ts'
import { withoutSecrets } from './capture/typed-text.ts'
import type { VitalSigns } from '../vital-signs.ts'

const SHUTDOWN_MS = 2000

/** The recorder, apart from the thread it runs in. */
export interface RecorderCore {
  receive(message: ToRecorder): void
  /** Commits what is pending and closes everything. */
  stop(): Promise<void>
}

export interface RecorderCoreOptions {
  readonly start: RecorderStart
  readonly hashKey: Uint8Array
  readonly vitalSigns: Pick<VitalSigns, 'workOn'> & Partial<Pick<VitalSigns, 'beat' | 'away'>>
  readonly logger: PipelineOptions['logger']
  send(message: FromRecorder): void
}

/** Opens the store, or spools; from then on it takes messages. */
export function createRecorderCore({ start, hashKey, vitalSigns, logger, send }: RecorderCoreOptions): RecorderCore {
  const { dataDir, config, appVersion } = start
  const ownCode = createOwnCode({ config, dataDir, hashKey, withProcessors: true, onWait: vitalSigns.beat })
  const { redactor } = ownCode
  const { filter, steps } = pipelineSteps(config, ownCode.steps)
  const pipeline = createPipeline({ redactor, isDemo: start.isDemo, logger, processors: steps })
  const sessionLog =
    config.session_log.enabled && config.lifestats.enabled
      ? createSessionLog({
          dataDir,
          settings: config.session_log,
          keysOf: (uuid) => gate.ask(({ ingest }) => ingest.keysOf(uuid), []),
        })
      : null
  const tally = createTally()
  const measures = createMeasures()
  const live = createLiveFeed(redactor, (batch) => send({ type: 'live', ...batch }))
  // What may yet be changed or left out is not shown while it is written.
  const hasPatterns = config.redaction.enabled && config.redaction.patterns.length > 0
  const isTextShown = steps.length === 0 && !hasPatterns
  let tombstones: readonly Tombstone[] = []

  const prepared = createPreparedPayloads()
  const prices = withOwnPrices(config.pricing.models)
  const gateOptions: StoreGateOptions & { readonly prices: typeof prices } = {
    hashKey,
    limits: config.lifestats,
    prices,
    spoolPath: join(dataDir, 'spool.jsonl'),
    openStore: () =>
      openStore({
        dataDir,
        dbPath: config.lifestats.db_path,
        hashKey,
        limits: config.lifestats,
        prepared,
        prices,
        appVersion,
        tombstones,
        onAway: vitalSigns.away ?? (() => undefined),
      }),
    setAside() {
      tombstones = setAside(resolve(dataDir, config.lifestats.db_path), Date.now())
    },
    accept: pipeline.accept,
    onStored: (result) => count(result, true),
    onState(state) {
      logger[state.state === 'running' ? 'info' : 'warn'](state, 'the store')
      // What was compared with may lie in the spool, or not at all.
      conversations.reset()
      status.now()
    },
    onFault: (error) => send({ type: 'fault', error }),
    onLost(count, why) {
      tally.drop('spool_full', count)
      logger.error({ count, why: redactor.text(why) }, 'events were lost')
    },
  }
  const gate = config.lifestats.enabled ? new SpoolingGate(gateOptions) : createUnstoredGate(gateOptions)
  const status = createStatusReport({
    gate,
    tally,
    ownCode,
    pipeline,
    sessionLog,
    measures,
    send: (counted) => send({ type: 'status', status: counted }),
  })
  const conversations = createConversations({
    redactor,
    putContent: (text) => gate.putContent(filter?.block(text) ?? text),
    lastRequest: (sessionId, agentId) => gate.ask(({ ingest }) => ingest.lastRequest(sessionId, agentId), null),
  })
  const { commit, writeImported } = createCommits({
    write: (drafts) => gate.write(drafts),
    writeStored(drafts, { checkpoints, isLive, staysOpen }) {
      const result = gate.writeStored(drafts, { checkpoints, isUnseen: !isLive, staysOpen })
      count(result, isLive)
      return result
    },
    onRefused(draft, message) {
      tally.drop('recorder_failed')
      const { kind, source } = draft
      logger.error({ kind, source, message: redactor.text(message) }, 'an event could not be stored')
    },
    onCommitted: tally.lag,
    onWritten: afterCommit,
  })
  /** Exchanges whose last group was committed or spooled, and that the tap has not been told of. */
  const safe: string[] = []
  const queue = createCommitQueue(commit)
  const upkeep = createUpkeep({
    store: () => gate.store(),
    setAside: (reason) => gate.setAside(reason),
    liveFirst() {
      const hadLive = queue.flush()
      importLane.settle()
      return hadLive
    },
    isBehind: () => gate.ask(({ maintenance }) => maintenance.isDiskBehind(), false),
    sessionLog,
    redact: (value) => redactor.json(value),
    forget: () => conversations.reset(),
    retention: config.lifestats,
    isDemo: start.isDemo,
    past: config.redaction.enabled
      ? {
          redactor,
          rules: redactor.hash(JSON.stringify([appVersion, config.redaction])),
          dataDir,
          databasePath: resolve(dataDir, config.lifestats.db_path),
        }
      : null,
    logger,
  })
  const answerCall = createCalls({
    runPeople: (name, input) => gate.opened().people.run(name, withoutSecrets(input, redactor.text)),
    upkeep,
    post(input, onSettled) {
      const draft = draftOfPost(input, Date.now(), performance.timeOrigin + performance.now() - start.timeOrigin)
      const refused = { code: 'bad_input', message: `the payload is not that of a ${draft.kind}` } as const
      enqueue({
        drafts: [pipeline.redact(draft)],
        arrivedAt: performance.now(),
        onSettled: (outcome) => onSettled({ uuid: draft.uuid }, outcome === 'lost' ? refused : null),
      })
    },
    send,
  })
  const exchanges = createExchanges({
    redactor,
    pipeline,
    conversations,
    agentCalls: createAgentCalls(redactor.hash),
    live: isTextShown ? live : { ...live, deltas: () => undefined },
    vitalSigns,
    commit: enqueue,
    acknowledge(exchange) {
      tally.exchange()
      safe.push(exchange)
    },
    onFailure(exchange, message) {
      tally.drop('decode_failed')
      logger.warn({ exchange, message }, 'an exchange could not be decoded')
    },
  })
  const inbox = createTapInbox(exchanges)
  const importLane = new ImportLane({
    liveFirst: queue.flush,
    isBehind: () => gate.ask(({ ingest }) => ingest.isBehind(), false),
    settleInSteps: () => gate.settleInSteps(),
    write: writeImported,
    onUnknownFields: tally.unknownFields,
    onPrepared: prepared.take,
    onRedacted: status.redactedElsewhere,
  })
  const takeHook = createHookIntake({
    redactor,
    pipeline,
    tally,
    logger,
    commit: enqueue,
    recorded: (id) => send({ type: 'hook_recorded', id }),
  })
  const idleWork = createIdleWork({ gate, sessionLog, upkeep, rest: exchanges.rest })

  /** Counts what was stored; live events also go to the feed, the session log and the metrics. */
  function count(result: AppendResult, isLive: boolean): void {
    const events = result.added.map(({ event }) => event)
    tally.stored(result)
    tally.unknown(events)
    if (!isLive) return
    const summaries = result.added.map(({ summary }) => summary)
    live.events(summaries)
    sessionLog?.write(events)
    measures.add(events, summaries)
  }

  /** What the filter leaves out waits nowhere, so that it never reaches the spool. */
  function enqueue(group: CommitGroup): void {
    const drafts = filter === null ? group.drafts : group.drafts.filter((draft) => !filter.dropsDraft(draft))
    tally.drop('filtered', group.drafts.length - drafts.length)
    queue.add({ ...group, drafts })
  }

  /** A commit is over: acknowledge at once, tell the counts within a second, and tidy up when nothing more comes. */
  function afterCommit(): void {
    if (safe.length > 0) send({ type: 'acknowledge', exchanges: safe.splice(0) })
    status.soon()
    idleWork.postpone()
  }

  gate.open()
  afterCommit()
  return {
    receive(message) {
      switch (message.type) {
        case 'tap':
          return inbox.add(message.parcels)
        case 'hook':
          return takeHook(message)
        case 'call':
          return answerCall(message)
        case 'importer':
          return importLane.connect(message.port)
        case 'stop':
        case 'die':
          return
      }
    },
    async stop() {
      idleWork.stop()
      await inbox.drained()
      queue.flush()
      importLane.stop()
      upkeep.stop()
      live.flush()
      await pipeline.shutdown(SHUTDOWN_MS)
      await ownCode.stop()
      status.now()
      sessionLog?.close()
      gate.close()
    },
  }
}
