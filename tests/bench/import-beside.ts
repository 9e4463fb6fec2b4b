import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { AnyDraft } from '../../src/main/decode/draft.ts'
import type { ImportBatch, ToImporter } from '../../src/main/recorder/protocol.ts'
import { ImportLane } from '../../src/main/recorder/thread/write/import-lane.ts'
import { isPreviewed } from '../../src/main/store/preview/previewed-file.ts'
import type { Store } from '../../src/main/store/store.ts'
import { seeded, sessionFacts } from '../support/store/history.ts'
import { timed, type Span } from './spans.ts'

const BATCH_DRAFTS = 400
/** Batches under way at a time. */
const CREDIT = 4
/** Drafts that `sessionFacts` generates of a turn for the transcript alone, on average. */
const DRAFTS_A_TURN = 9
const LIVE_EVERY_MS = 100
const FILE = { path: '/imported.jsonl', size: 1, mtime_ms: 1 }

/**
 * Imports one transcript of about this many drafts through the recorder's lane, with live commits alongside: its
 * figures first, then the drafts. A live commit also writes what the import left open. The last slice ends the file's
 * preview.
 */
export async function importBeside(store: Store, drafts: number, commitLive: () => void) {
  const spans = { previews: [] as Span[], slices: [] as Span[], settling: [] as Span[] }
  const noted = <Result>(part: Span[], work: () => Result): Result => {
    const [span, result] = timed(work)
    part.push(span)
    return result
  }
  let dueAt = 0
  const lane = new ImportLane({
    liveFirst() {
      if (performance.now() < dueAt) return false
      commitLive()
      dueAt = performance.now() + LIVE_EVERY_MS
      return true
    },
    isBehind: () => store.ingest.isBehind(),
    isLeftOpen: () => store.ingest.isLeftOpen(),
    *settleInSteps() {
      const steps = store.ingest.settleInSteps()
      while (noted(spans.settling, () => steps.next()).done !== true) yield
    },
    write(slice, { checkpoints, staysOpen }) {
      const options = { checkpoints, staysOpen, isUnseen: true }
      const { added, ...counts } = noted(spans.slices, () => store.ingest.append(slice, undefined, options))
      return { added: added.length, ...counts }
    },
    forget: () => undefined,
    preview: (change) => noted(spans.previews, () => store.ingest.preview(change)),
    onRedacted: () => undefined,
    onUnknownFields: () => undefined,
    onPrepared: () => undefined,
  })
  const { port1, port2 } = new MessageChannel()
  lane.connect(port1)
  await sendAll(port2, [...batchesOf(drafts)])
  lane.stop()
  port2.close()
  return spans
}

/** Sends batches with credit, and waits until the last is committed. */
async function sendAll(port: MessagePort, batches: readonly ImportBatch[]): Promise<void> {
  let sent = 0
  const send = () => {
    const next = batches[sent]
    if (next === undefined) return
    sent += 1
    port.postMessage(next)
  }
  await new Promise<void>((resolve, reject) => {
    let answered = 0
    port.on('message', (answer: ToImporter) => {
      if (answer.type !== 'committed') return reject(new Error(JSON.stringify(answer)))
      answered += 1
      if (answered === batches.length) resolve()
      else send()
    })
    for (let at = 0; at < CREDIT; at += 1) send()
  })
}

function* batchesOf(count: number): Generator<ImportBatch> {
  const facts = sessionFacts('imported', Math.round(count / DRAFTS_A_TURN), seeded(5))
  const drafts = facts.flatMap(({ reports }) => reports.filter(({ source }) => source === 'transcript'))
  let batch = 0
  const figures = drafts.filter(isPreviewed)
  for (const part of partsOf(figures)) {
    const isWhole = part.at(-1) === figures.at(-1)
    batch += 1
    yield { type: 'import', batch, drafts: [], preview: { files: [{ ...FILE, isWhole, drafts: part, sessions: [] }] } }
  }
  for (const part of partsOf<AnyDraft>(drafts)) {
    const isEnd = part.at(-1) === drafts.at(-1)
    const checkpoint = { ...FILE, identity: 'bench', offset: 1 }
    batch += 1
    yield { type: 'import', batch, drafts: part, ...(isEnd && { checkpoints: [{ ...checkpoint, isEnd: true }] }) }
  }
}

function* partsOf<Part>(all: readonly Part[]): Generator<readonly Part[]> {
  for (let at = 0; at < all.length; at += BATCH_DRAFTS) yield all.slice(at, at + BATCH_DRAFTS)
}
