import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { writeTranscripts } from '../../support/store/generated-transcripts.ts'
import type { AppUnderTest } from './app-under-test.ts'
import { type Figures, spreadOf } from './figures.ts'
import { lagOf } from './recording.ts'

const LIVE_EVERY_MS = 250

interface Progress {
  readonly bytes: number
  readonly done: boolean
  /** Only versions with two passes have it. */
  readonly previewing?: boolean
}

/** Imports transcripts, generated ones or those of a folder, alongside four live exchanges per second. */
export async function measureImport(
  app: AppUnderTest,
  transcripts: string | { readonly seed: string; readonly megabytes: number },
  name: string,
): Promise<Figures> {
  using folder = makeTempFolder('aspy-pairs-')
  const path = typeof transcripts === 'string' ? transcripts : generate(folder.path, transcripts)
  const threadsBefore = app.threadMs()
  const largest = app.watchMemory()
  const memoryBefore = app.memoryMb()
  const begun = performance.now()
  let last: Progress | null = null
  let previewMs: number | null = null
  const threads = new Map<string, number>()
  const times = await besideLive(app, async () => {
    for await (const progress of app.stream<Progress>('transcripts.import', { paths: [path] })) {
      if (last?.previewing === true && progress.previewing === false) previewMs = performance.now() - begun
      last = progress
      // The importer's thread ends with the import.
      for (const [thread, ms] of app.threadMs()) threads.set(thread, Math.max(ms, threads.get(thread) ?? 0))
    }
  })
  const { done, bytes } = (last ?? { done: false, bytes: Number.NaN }) as Progress
  if (!done) throw new Error('the import ended early')
  const megabytes = bytes / 1e6
  const threadMs = (thread: string) => ((threads.get(thread) ?? 0) - (threadsBefore.get(thread) ?? 0)) / megabytes
  const figures = spreadOf(`import_${name}_live_commit`, times.lags)
  return {
    [`import_${name}_mb_per_s`]: megabytes / (times.workMs / 1000),
    ...(previewMs === null ? {} : { [`import_${name}_first_pass_mb_per_s`]: megabytes / (previewMs / 1000) }),
    [`import_${name}_recorder_cpu_ms_per_mb`]: threadMs('recorder'),
    [`import_${name}_importer_cpu_ms_per_mb`]: threadMs('importer'),
    [`import_${name}_memory_added_mb`]: largest() - memoryBefore,
    ...figures,
    raw_bytes: bytes,
  }
}

/** Deletes the session with the most tool calls alongside live exchanges. */
export async function measureDeletion(app: AppUnderTest): Promise<Figures> {
  const { items } = await app.call<{ items: readonly { id: string }[] }>('sessions.list', {
    sort: 'tools',
    limit: 1,
  })
  const session_id = items[0]?.id
  const deletion = await besideLive(app, async () => {
    await app.call('sessions.delete', { session_id })
  })
  return {
    ...spreadOf('deletion_live_commit', deletion.lags),
    deletion_ms: deletion.workMs,
  }
}

function generate(folder: string, { seed, megabytes }: { seed: string; megabytes: number }): string {
  const path = join(folder, 'projects')
  mkdirSync(path)
  writeTranscripts(path, { seed, bytes: megabytes * 1e6, bytesPerFile: 2_500_000 })
  return path
}

/** Sends exchanges while the work lasts; returns its duration and their lags, in milliseconds. */
async function besideLive(app: AppUnderTest, work: () => Promise<void>): Promise<{ workMs: number; lags: number[] }> {
  const { exchanges_recorded: before } = await app.recorded(0)
  const begun = performance.now()
  const over = new AbortController()
  const working = work().finally(() => over.abort())
  const ended = working.then(() => performance.now() - begun)
  const lags: number[] = []
  // Work may be over before an exchange has begun, so there is always one alongside.
  for (let n = 1; !over.signal.aborted || n === 1; n += 1) {
    lags.push(await lagOf(app, before + n))
    await pause(LIVE_EVERY_MS)
  }
  return { workMs: await ended, lags }
}
