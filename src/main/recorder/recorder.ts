import { join, resolve } from 'node:path'
import { toErrorAnswer } from '../../shared/contract/errors.ts'
import type { AnyEvent } from '../../shared/event.ts'
import type { AnyDraft } from '../decode/draft.ts'
import { decodeHook } from '../decode/hook/decode-hook.ts'
import { createOwnCode } from '../pipeline/own-code.ts'
import { createPipeline, dropsOfSteps } from '../pipeline/pipeline.ts'
import type { PipelineOptions } from '../pipeline/pipeline.ts'
import { pipelineSteps } from '../pipeline/processors/list.ts'
import { createMeasures } from '../sinks/metrics/measures.ts'
import { createSpareMemory } from '../spare-memory.ts'
import { createSessionLog } from '../sinks/session-log/session-log.ts'
import { withOwnPrices } from '../store/pricing.ts'
import { openStore } from '../store/open-store.ts'
import { createPreparedPayloads } from '../store/prepared-payloads.ts'
import { setAside } from '../store/set-aside.ts'
import type { AppendResult } from '../store/store.ts'
import type { Tombstone } from '../store/tombstones.ts'
import { createAgentCalls } from './agent-calls.ts'
import { createCalls } from './calls.ts'
import { createCommitQueue } from './commit-queue.ts'
import type { CommitGroup } from './commit-queue.ts'
import { createCommits } from './commits.ts'
import { createConversations } from './conversation.ts'
import { createExchanges } from './exchanges.ts'
import { createImportLane } from './import-lane.ts'
import { createLiveFeed } from './live-feed.ts'
import { draftOfPost } from './post-event.ts'
import type { FromRecorder, RecorderStart, ToRecorder } from './protocol.ts'
import { createStoreGate } from './store-gate.ts'
import { createTally, sumOf } from './tally.ts'
import { createTapInbox } from './tap-inbox.ts'
import { createUnstoredGate } from './unstored-gate.ts'
import { createUpkeep } from './upkeep.ts'
import { withoutSecrets } from './typed-text.ts'
import type { VitalSigns } from './vital-signs.ts'

const STATUS_MS = 1000
/** After so long without traffic the WAL is moved into the file. */
const IDLE_MS = 5000
/** And from then on, as long as nothing comes. */
const QUIET_MS = 60_000
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
      ? createSessionLog({ dataDir, settings: config.session_log, keysOf: (uuid) => gate.keysOf(uuid) })
      : null
  const tally = createTally()
  const measures = createMeasures()
  const importRedactions: Record<string, number> = {}
  let importTimeouts = 0
  const live = createLiveFeed(redactor, (batch) => send({ type: 'live', ...batch }))
  // What may yet be changed or left out is not shown while it is written.
  const hasPatterns = config.redaction.enabled && config.redaction.patterns.length > 0
  const isTextShown = steps.length === 0 && !hasPatterns
  let accepted: AnyEvent[] = []
  let tombstones: readonly Tombstone[] = []
  let statusTimer: NodeJS.Timeout | null = null
  let idleTimer: NodeJS.Timeout | null = null

  const prepared = createPreparedPayloads()
  const prices = withOwnPrices(config.pricing.models)
  const gate = (config.lifestats.enabled ? createStoreGate : createUnstoredGate)({
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
    accept(event) {
      const result = pipeline.accept(event)
      if (result !== 'drop') accepted.push(result)
      return result
    },
    onStored(result) {
      live.events(result.added)
      const written = takeAccepted(result)
      sessionLog?.write(written)
      measures.add(written, result.added)
      tally.stored(result)
    },
    onState(state) {
      logger[state.state === 'running' ? 'info' : 'warn'](state, 'the store')
      // What was compared with may lie in the spool, or not at all.
      conversations.reset()
      sendStatus()
    },
    onFault: (error) => send({ type: 'fault', error }),
    onLost(count, why) {
      tally.drop('spool_full', count)
      logger.error({ count, why: redactor.text(why) }, 'events were lost')
    },
  })
  const conversations = createConversations({
    redactor,
    putContent: (text) => gate.putContent(filter?.block(text) ?? text),
    lastRequest: (sessionId, agentId) => gate.lastRequest(sessionId, agentId),
  })
  const { commit, writeImported } = createCommits({
    write: (drafts) => gate.write(drafts),
    writeStored(drafts, { checkpoints, isLive, staysOpen }) {
      const result = gate.writeStored(drafts, { checkpoints, isUnseen: !isLive, staysOpen })
      const written = takeAccepted(result)
      tally.stored(result)
      if (isLive) {
        live.events(result.added)
        sessionLog?.write(written)
        measures.add(written, result.added)
      }
      return result
    },
    onRefused(draft, message) {
      tally.drop('recorder_failed')
      const { kind, source } = draft
      logger.error({ kind, source, message: redactor.text(message) }, 'an event could not be stored')
    },
    onCommitted: tally.lag,
    onWritten: soon,
  })
  /** Exchanges whose last group was committed or spooled, and that the tap has not been told of. */
  const safe: string[] = []
  const spareMemory = createSpareMemory()
  let isStopped = false
  const queue = createCommitQueue(commit)
  const upkeep = createUpkeep({
    store: () => gate.store(),
    setAside: (reason) => gate.setAside(reason),
    liveFirst() {
      const hadLive = queue.flush()
      importLane.settle()
      return hadLive
    },
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
    runPeople: (name, input) => gate.people.run(name, withoutSecrets(input, redactor.text)),
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
  const importLane = createImportLane({
    liveFirst: queue.flush,
    isBehind: gate.isBehind,
    settleInSteps: gate.settleInSteps,
    write: writeImported,
    onUnknownFields: tally.unknownFields,
    onPrepared: prepared.take,
    onRedacted(counts, timeouts) {
      importTimeouts += timeouts
      for (const [rule, count] of Object.entries(counts)) importRedactions[rule] = (importRedactions[rule] ?? 0) + count
    },
  })

  /** The events that were written, as the processors left them. */
  function takeAccepted({ added }: AppendResult): readonly AnyEvent[] {
    const uuids = new Set(added.map((event) => event.uuid))
    const written = accepted.filter((event) => uuids.has(event.uuid))
    accepted = []
    tally.unknown(written)
    return written
  }

  /** What the filter leaves out waits nowhere, so that it never reaches the spool. */
  function enqueue(group: CommitGroup): void {
    const drafts = filter === null ? group.drafts : group.drafts.filter((draft) => !filter.dropsDraft(draft))
    tally.drop('filtered', group.drafts.length - drafts.length)
    queue.add({ ...group, drafts })
  }

  function takeHook({ id, body, wall, at }: Extract<ToRecorder, { readonly type: 'hook' }>): void {
    const arrivedAt = performance.now()
    let drafts: readonly AnyDraft[] = []
    try {
      // A hook that comes again after a restart is known by its id.
      drafts = decodeHook(body, { wall, at }, redactor.hash).map((draft, index) =>
        pipeline.redact(draft.keys.length > 0 ? draft : { ...draft, keys: [`hook:${id}:${index}`] }),
      )
    } catch (error) {
      tally.drop('decode_failed')
      logger.warn({ message: redactor.text(toErrorAnswer(error).message) }, 'a hook could not be decoded')
    }
    enqueue({ drafts, arrivedAt, onSettled: () => send({ type: 'hook_recorded', id }) })
  }

  /** A commit is over: acknowledge at once, tell the counts within a second, and tidy up when nothing more comes. */
  function soon(): void {
    if (safe.length > 0) send({ type: 'acknowledge', exchanges: safe.splice(0) })
    statusTimer ??= setTimeout(sendStatus, STATUS_MS)
    if (idleTimer !== null) clearTimeout(idleTimer)
    idleTimer = setTimeout(() => tidyUp(false), IDLE_MS)
  }

  /** Goes on while nothing comes: a session ends by its silence, too. */
  function tidyUp(isQuiet: boolean): void {
    gate.checkpoint()
    sessionLog?.tidyUp()
    void upkeep.idle(isQuiet).then(() => giveBack(isQuiet))
    idleTimer = setTimeout(() => tidyUp(true), QUIET_MS)
  }

  /** What upkeep took in passing, too. */
  function giveBack(isQuiet: boolean): void {
    if (isStopped || upkeep.isBusy()) return
    gate.checkpoint()
    const hasLetGo = isQuiet && exchanges.rest()
    spareMemory.giveBack(hasLetGo)
  }

  function sendStatus(): void {
    if (statusTimer !== null) clearTimeout(statusTimer)
    statusTimer = null
    const counts = tally.read()
    const log = sessionLog?.status() ?? null
    const timeouts = Object.values(ownCode.timeouts()).reduce((total, count) => total + count, importTimeouts)
    const processors = pipeline.status()
    send({
      type: 'status',
      status: {
        ...gate.state(),
        ...counts,
        dropped: {
          ...sumOf(counts.dropped, dropsOfSteps(processors)),
          ...(log !== null && log.failed > 0 ? { session_log: log.failed } : {}),
          ...(timeouts > 0 ? { redaction_timeout: timeouts } : {}),
        },
        spooled: gate.spooled(),
        redacted: sumOf(redactor.counts(), importRedactions),
        unpriced_models: gate.unpricedModels(),
        processors,
        session_log: log,
        measures: measures.read(),
      },
    })
  }

  gate.open()
  soon()
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
      isStopped = true
      await inbox.drained()
      queue.flush()
      importLane.stop()
      upkeep.stop()
      live.flush()
      await pipeline.shutdown(SHUTDOWN_MS)
      await ownCode.stop()
      sendStatus()
      if (idleTimer !== null) clearTimeout(idleTimer)
      sessionLog?.close()
      gate.close()
    },
  }
}
