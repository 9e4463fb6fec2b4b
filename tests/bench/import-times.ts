import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import type * as HashKey from '../../src/main/base/hash-key.ts'
import type * as GenerateHistory from '../support/demo/generate-history.ts'
import type * as OwnCode from '../../src/main/pipeline/custom/own-code.ts'
import type * as OpenStore from '../../src/main/store/open-store.ts'
import type * as PreparedPayloads from '../../src/main/store/projections/prepared-payloads.ts'
import type * as FindFiles from '../../src/main/transcripts/thread/find-files.ts'
import type * as ImportFiles from '../../src/main/transcripts/thread/import-files.ts'
import type * as PreviewPass from '../../src/main/transcripts/thread/preview/preview-pass.ts'
import type * as Config from '../../src/shared/config.ts'
import type * as GeneratedTranscripts from '../support/store/generated-transcripts.ts'
import type { ImportBatch } from '../../src/main/recorder/protocol.ts'
import type { PreviewChange } from '../../src/main/store/preview/previewed-file.ts'
import type { Store } from '../../src/main/store/store.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { multiplyTranscripts } from '../support/store/multiplied-transcripts.ts'
import { quartiles } from './pairs/quartiles.ts'

/**
 * Compares two checkouts by the processor time that an import takes on the importer's thread and on the writer's, and that
 * recorded traffic takes on the writer's. Interleaved pairs on one machine; medians and quartiles.
 *
 * Usage: node tests/bench/import-times.ts BEFORE AFTER [PAIRS] [--transcripts FOLDER] [--copies N]
 */
const MEGABYTES = Number(process.env['ASPY_BENCH_MB'] ?? 30)
const EVENTS = Number(process.env['ASPY_BENCH_EVENTS'] ?? 10_000)
/** Path of the generator in a revision. */
const GENERATORS = ['tests/support/demo/generate-history.ts', 'src/main/demo/generate-history.ts'] as const
/** The recorder's slices and transactions, whose sizes depend on the machine there. */
const SLICE = 250
const TRANSACTION = 1500
const COMMIT = 40
/** The first live events compile the code. */
const WARM = 2000

interface Sample {
  /** Processor milliseconds per megabyte of the first pass, which reads only figures. */
  readonly figures: number
  readonly figuresWriter: number
  /** Processor milliseconds per megabyte of transcripts. */
  readonly importer: number
  readonly writer: number
  /** Processor milliseconds per recorded event. */
  readonly live: number
}

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    measure: { type: 'boolean', default: false },
    transcripts: { type: 'string' },
    copies: { type: 'string', default: '1' },
  },
})
const [before, after, pairs = '5'] = positionals
if (given.measure) console.log(JSON.stringify(await measure(resolve(before ?? '.'))))
else if (before === undefined || after === undefined) {
  console.error('Name two checkouts: node tests/bench/import-times.ts BEFORE AFTER [PAIRS]')
  process.exitCode = 1
} else {
  const samples = { before: [] as Sample[], after: [] as Sample[] }
  for (let pair = 0; pair < Number(pairs); pair += 1) {
    samples.before.push(sampleOf(before))
    samples.after.push(sampleOf(after))
  }
  const figures = (of: readonly Sample[]) => ({
    figures_importer_ms_per_mb: quartiles(of.map((sample) => sample.figures)),
    figures_writer_ms_per_mb: quartiles(of.map((sample) => sample.figuresWriter)),
    importer_ms_per_mb: quartiles(of.map(({ importer }) => importer)),
    writer_ms_per_mb: quartiles(of.map(({ writer }) => writer)),
    writer_ms_per_live_event: quartiles(of.map(({ live }) => live)),
  })
  console.log(JSON.stringify({ pairs, before: figures(samples.before), after: figures(samples.after) }, null, 2))
}

/** Measures one checkout in a separate process. */
function sampleOf(root: string): Sample {
  const script = join(import.meta.dirname, 'import-times.ts')
  const folder = given.transcripts === undefined ? [] : ['--transcripts', given.transcripts, '--copies', given.copies]
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, '--measure', root, ...folder], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Sample
}

type Parts = Awaited<ReturnType<typeof partsOf>>

/** Loads the parts of a checkout that are measured. */
async function partsOf(root: string) {
  const load = async <Part>(path: string) => (await import(pathToFileURL(join(root, path)).href)) as Part
  return {
    ...(await load<typeof ImportFiles>('src/main/transcripts/thread/import-files.ts')),
    ...(await load<typeof FindFiles>('src/main/transcripts/thread/find-files.ts')),
    ...(await load<typeof PreviewPass>('src/main/transcripts/thread/preview/preview-pass.ts')),
    ...(await load<typeof OwnCode>('src/main/pipeline/custom/own-code.ts')),
    ...(await load<typeof HashKey>('src/main/base/hash-key.ts')),
    ...(await load<typeof OpenStore>('src/main/store/open-store.ts')),
    ...(await load<typeof PreparedPayloads>('src/main/store/projections/prepared-payloads.ts')),
    ...(await load<typeof Config>('src/shared/config.ts')),
    ...(await load<typeof GeneratedTranscripts>('tests/support/store/generated-transcripts.ts')),
    ...(await load<typeof GenerateHistory>(GENERATORS.find((path) => existsSync(join(root, path))) ?? GENERATORS[0])),
  }
}

async function measure(root: string): Promise<Sample> {
  const parts = await partsOf(root)
  using folder = makeTempFolder('aspy-bench-')
  const [transcripts, dataDir] = [join(folder.path, 'projects'), join(folder.path, 'data')]
  for (const path of [transcripts, dataDir]) mkdirSync(path)
  const shape = { seed: 'import', bytes: MEGABYTES * 1e6, bytesPerFile: 2_500_000 }
  const { bytes } =
    given.transcripts === undefined
      ? parts.writeTranscripts(transcripts, shape)
      : multiplyTranscripts(given.transcripts, transcripts, Number(given.copies))
  const megabytes = bytes / 1e6
  const looked = await readFigures(parts, transcripts, dataDir)
  const { batches, cpu } = await readBatches(parts, transcripts, dataDir)
  const prepared = parts.createPreparedPayloads()
  const { lifestats: limits } = parts.configSchema.parse({})
  const store = parts.openStore({ dataDir, hashKey: parts.loadHashKey(dataDir), limits, prepared })
  const previewStart = cpuMs()
  for (const change of looked.changes) store.ingest.preview(change)
  const figuresWriter = (cpuMs() - previewStart) / megabytes
  const writer = await writeBatches(store, prepared, batches)
  const live = recordHistory(store, parts)
  store.close()
  return { figures: looked.cpu / megabytes, figuresWriter, importer: cpu / megabytes, writer: writer / megabytes, live }
}

/** Reads only figures, as the first pass of an import does. */
async function readFigures(parts: Parts, transcripts: string, dataDir: string) {
  const { redactor } = parts.createOwnCode({
    config: parts.configSchema.parse({}),
    dataDir,
    hashKey: parts.loadHashKey(dataDir),
    withProcessors: false,
  })
  const changes: PreviewChange[] = []
  const { files } = parts.findTranscripts([transcripts])
  const start = cpuMs()
  await parts.previewFiles({
    files,
    known: new Map(),
    redactor,
    sender: {
      async send({ preview = {} }) {
        changes.push(preview)
        return {
          answered: Promise.resolve({ type: 'committed', batch: 0, added: 0, joined: 0, deleted: 0, dropped: 0 }),
        }
      },
      connect: () => undefined,
      isConnected: () => true,
    },
    isCancelled: () => false,
    onRead: () => undefined,
  })
  return { changes, cpu: cpuMs() - start }
}

/** Reads transcripts as the importer's thread does; its batches are as they are sent to the recorder. */
async function readBatches(parts: Parts, transcripts: string, dataDir: string) {
  const { redactor, timeouts } = parts.createOwnCode({
    config: parts.configSchema.parse({}),
    dataDir,
    hashKey: parts.loadHashKey(dataDir),
    withProcessors: false,
  })
  const batches: Buffer[] = []
  const start = cpuMs()
  await parts.importFiles({
    found: parts.findTranscripts([transcripts]),
    promptHistories: [],
    // Nothing was imported before.
    known: {
      all: () => new Map(),
      previews: () => new Map(),
      sessionOfLine: () => null,
      sessionOfAnswer: () => null,
    } as never,
    redactor,
    sender: {
      async send(batch) {
        batches.push(serialize(batch))
        const counts = { added: batch.drafts.length, joined: 0, deleted: 0, dropped: 0 }
        return { answered: Promise.resolve({ type: 'committed', batch: 0, ...counts }) }
      },
      connect: () => undefined,
      isConnected: () => true,
    },
    previewFromBytes: null,
    timeouts,
    isCancelled: () => false,
    onProgress: () => undefined,
  })
  return { batches, cpu: cpuMs() - start }
}

async function writeBatches(
  store: Store,
  prepared: ReturnType<Parts['createPreparedPayloads']>,
  batches: readonly Buffer[],
): Promise<number> {
  const start = cpuMs()
  let open = 0
  for (const batch of batches) {
    const { drafts, prepared: forms, checkpoints = [] } = deserialize(batch) as ImportBatch
    if (forms) prepared.take(drafts, forms)
    for (let at = 0; at < drafts.length; at += SLICE) {
      const isLast = at + SLICE >= drafts.length
      const kept = { checkpoints: isLast ? checkpoints : [], isUnseen: true, staysOpen: true }
      store.ingest.append(drafts.slice(at, at + SLICE), undefined, kept)
    }
    open += drafts.length
    if (open < TRANSACTION) continue
    store.ingest.settle()
    open = 0
    await turn()
  }
  store.ingest.settle()
  return cpuMs() - start
}

/** Records generated traffic; returns the processor time of an event. */
function recordHistory(store: Store, parts: Parts): number {
  const until = Date.UTC(2026, 10, 20)
  const history = parts.generateHistory({ seed: 'live', sessions: 20, events: EVENTS, days: 30, until })
  const drafts = [...history].flat()
  let start = cpuMs()
  for (let at = 0; at < drafts.length; at += COMMIT) {
    if (at === WARM) start = cpuMs()
    store.ingest.append(drafts.slice(at, at + COMMIT))
  }
  return (cpuMs() - start) / (drafts.length - WARM)
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
