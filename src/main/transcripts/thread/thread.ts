import { isAbsolute, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { toErrorAnswer } from '../../../shared/contract/errors.ts'
import { loadHashKey } from '../../base/hash-key.ts'
import { createOwnCode } from '../../pipeline/custom/own-code.ts'
import { openKnownTranscripts } from '../../store/read/transcript-files.ts'
import { createBatchSender } from '../batch-sender.ts'
import { homesAt, keptDays, promptHistories, transcriptFolders } from '../client-folders.ts'
import { findImage } from './find-image.ts'
import { findTranscripts, lookAt } from './find-files.ts'
import { Follower, importedFolders } from './follow.ts'
import { mayPreview } from './preview/preview-pass.ts'
import { importFiles } from './import-files.ts'
import { refuseOthers } from './refuse-others.ts'
import type { FromImporterThread, ImporterStart, ImportProgress, ToImporterThread, WantedImage } from '../protocol.ts'
import { describeFound } from './describe-found.ts'

/** Minimum time between two progress reports. */
const PROGRESS_MS = 200
/** Fewer bytes are imported about as fast as they are previewed. */
const PREVIEW_FROM_BYTES = 8 * 1024 * 1024

const { dataDir, config, homes } = workerData as ImporterStart
const say = (message: FromImporterThread) => parentPort?.postMessage(message)
const { redactor, timeouts } = createOwnCode({
  config,
  dataDir,
  hashKey: loadHashKey(dataDir),
  withProcessors: false,
})
const sender = createBatchSender(() => say({ type: 'line_lost' }))
const cancelled = new Set<number>()
/** The imports under way, by job. */
const imports = new Map<number, Promise<void>>()
const dbPath = config.lifestats.db_path
const databasePath = isAbsolute(dbPath) ? dbPath : join(dataDir, dbPath)
const folders = () => transcriptFolders(homes, config.transcripts.folders)
let follower: Follower | null = null

async function runImport(job: number, paths: readonly string[] | null): Promise<void> {
  let lastTold = -PROGRESS_MS
  let untold: ImportProgress | null = null
  const known = openKnownTranscripts(databasePath)
  try {
    const found = findTranscripts(paths ?? folders(), dataDir)
    if (paths !== null) await refuseOthers(paths, found.folders)
    await importFiles({
      found,
      promptHistories: promptHistories(paths === null ? homes : homesAt(paths)),
      known,
      redactor,
      sender,
      previewFromBytes: mayPreview(config) ? PREVIEW_FROM_BYTES : null,
      timeouts,
      isCancelled: () => cancelled.has(job),
      onProgress(progress) {
        const now = performance.now()
        untold = progress
        if (!progress.done && now - lastTold < PROGRESS_MS) return
        lastTold = now
        untold = null
        // Sent before the last message, after which the thread may be ended.
        if (progress.done) tryToFollow()
        say({ type: 'progress', job, progress })
      },
    })
  } finally {
    known.close()
    // The counts up to here, of an import that was cancelled.
    if (untold !== null) say({ type: 'progress', job, progress: untold })
  }
}

function find(job: number): void {
  const known = openKnownTranscripts(databasePath)
  try {
    const isFollowing = (folder: string) => follower?.folders.includes(folder) ?? false
    const found = describeFound({
      folders: folders(),
      histories: promptHistories(homes).length,
      dataDir,
      known: known.all(),
      keptDays: keptDays(homes),
      isFollowing,
    })
    say({ type: 'found', job, found })
  } finally {
    known.close()
  }
}

/** Searches the clients' folders and the files that were imported from elsewhere. */
async function lookUpImage(job: number, wanted: WantedImage): Promise<void> {
  const known = openKnownTranscripts(databasePath)
  try {
    const found = findTranscripts(folders(), dataDir).files
    const paths = new Set(found.map(({ path }) => path))
    const elsewhere = [...known.all().keys()].flatMap((path) => (paths.has(path) ? [] : (lookAt(path) ?? [])))
    const isCancelled = () => cancelled.has(job)
    const image = await findImage({ wanted, files: [...found, ...elsewhere], hash: redactor.hash, isCancelled })
    say({ type: 'image', job, image })
  } finally {
    known.close()
  }
}

/** Follows the imported folders, which may have changed. */
function follow(): void {
  follower?.stop()
  follower = null
  const openKnown = () => openKnownTranscripts(databasePath)
  const known = openKnown()
  const imported = config.transcripts.follow ? importedFolders(folders(), known.all()) : []
  known.close()
  if (imported.length > 0) {
    follower = new Follower({
      folders: imported,
      except: dataDir,
      redactor,
      sender,
      timeouts,
      openKnown,
      onTrouble: (error) => say({ type: 'trouble', message: redactor.text(toErrorAnswer(error).message) }),
    })
  }
  say({ type: 'following', isFollowing: follower !== null })
}

/** If the database cannot be read now, the next recorder that is ready starts this again. */
function tryToFollow(): void {
  try {
    follow()
  } catch (error) {
    say({ type: 'trouble', message: redactor.text(toErrorAnswer(error).message) })
    say({ type: 'following', isFollowing: false })
  }
}

async function attempt(job: number, work: () => void | Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { code, message } = toErrorAnswer(error)
    say({ type: 'failed', job, error: { code, message: redactor.text(message) } })
  } finally {
    cancelled.delete(job)
  }
}

/** Data that was read but not sent is left to the next thread. */
async function endAnswered(): Promise<void> {
  for (const job of imports.keys()) cancelled.add(job)
  if (sender.isConnected()) await Promise.all(imports.values())
  process.exit(0)
}

parentPort?.on('message', (message: ToImporterThread) => {
  switch (message.type) {
    case 'recorder':
      return sender.connect(message.port)
    case 'cancel':
      return void cancelled.add(message.job)
    case 'import':
      imports.set(
        message.job,
        attempt(message.job, () => runImport(message.job, message.paths)).finally(() => imports.delete(message.job)),
      )
      return
    case 'find':
      return void attempt(message.job, () => find(message.job))
    case 'image':
      return void attempt(message.job, () => lookUpImage(message.job, message.wanted))
    case 'follow':
      return tryToFollow()
    case 'end':
      return process.exit(0)
    case 'end_answered':
      return void endAnswered()
  }
})
