import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip, createZstdCompress } from 'node:zlib'
import type { Config } from '../../../shared/config.ts'
import { ASIDE, COMPRESSIONS, logFileOf, logFilesIn } from '../log-files.ts'
import type { LogFile } from '../log-files.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** What happens to session logs beside writing: full parts are compressed, old ones go. One thing after the other. */
export interface LogKeeper {
  /** Returns at once; what is asked for meanwhile is done in one further round. */
  tidyUp(): void
  /** See SessionLog.hold. */
  hold(): Promise<() => void>
  /** Removes files, and ends the compression of one of them. */
  remove(isMeant: (file: string) => boolean): void
  problem(): string | null
  close(): void
}

export interface LogKeeperOptions {
  readonly folder: string
  readonly settings: Pick<Config['session_log'], 'compress' | 'retention_days' | 'max_total_bytes'>
  /** It is written to now. */
  isOpen(file: string): boolean
}

export function createLogKeeper({ folder, settings, isOpen }: LogKeeperOptions): LogKeeper {
  let working: Promise<void> | null = null
  let isWanted = false
  let holds = 0
  let isClosed = false
  let compressing: { readonly file: string; readonly abort: AbortController } | null = null
  let problem: string | null = null

  function start(): void {
    if (working !== null || holds > 0 || isClosed || !isWanted) return
    isWanted = false
    working = round().finally(() => {
      working = null
      start()
    })
  }

  async function round(): Promise<void> {
    try {
      await removeOld()
      for (const found of logFilesIn(folder)) {
        if (isClosed || holds > 0) break
        if (found.part !== null && found.compression === null) await compress(found)
      }
      problem = null
    } catch (error) {
      // What could not be done is tried again in the next round.
      problem = error instanceof Error ? error.message : String(error)
    }
  }

  async function compress({ file }: LogFile): Promise<void> {
    if (settings.compress === 'none') return
    const from = join(folder, file)
    const to = `${from}${COMPRESSIONS[settings.compress]}`
    const aside = `${to}${ASIDE}`
    const abort = new AbortController()
    compressing = { file, abort }
    try {
      const { atime, mtime } = await stat(from)
      await pipeline(
        createReadStream(from),
        settings.compress === 'gzip' ? createGzip() : createZstdCompress(),
        createWriteStream(aside, { mode: 0o600 }),
        { signal: abort.signal },
      )
      // Its age counts from its last line.
      await utimes(aside, atime, mtime)
      if (abort.signal.aborted) return
      await rename(aside, to)
      await rm(from, { force: true })
    } catch (error) {
      if (!abort.signal.aborted) throw error
    } finally {
      compressing = null
      rmSync(aside, { force: true })
    }
  }

  /** What is older than the settings keep, then the oldest until the rest is small enough. */
  async function removeOld(): Promise<void> {
    if (settings.retention_days === 0 && settings.max_total_bytes === 0) return
    const oldest = settings.retention_days === 0 ? 0 : Date.now() - settings.retention_days * DAY_MS
    const kept: { readonly file: string; readonly bytes: number; readonly at: number }[] = []
    for (const file of await namesOf(folder)) {
      if (logFileOf(file) === null) continue
      const found = await stat(join(folder, file)).catch(() => null)
      if (found === null || !found.isFile()) continue
      if (found.mtimeMs < oldest && !isOpen(file)) await rm(join(folder, file), { force: true })
      else kept.push({ file, bytes: found.size, at: found.mtimeMs })
    }
    if (settings.max_total_bytes === 0) return
    let total = kept.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { file, bytes } of kept.toSorted((one, other) => one.at - other.at)) {
      if (total <= settings.max_total_bytes) return
      if (isOpen(file)) continue
      await rm(join(folder, file), { force: true })
      total -= bytes
    }
  }

  return {
    tidyUp() {
      isWanted = true
      start()
    },
    async hold() {
      holds += 1
      compressing?.abort.abort()
      isWanted = true
      await working
      return () => {
        holds -= 1
        start()
      }
    },
    remove(isMeant) {
      if (compressing !== null && isMeant(compressing.file)) compressing.abort.abort()
      for (const { file } of logFilesIn(folder)) if (isMeant(file)) rmSync(join(folder, file), { force: true })
    },
    problem: () => problem,
    close() {
      isClosed = true
      compressing?.abort.abort()
    },
  }
}

async function namesOf(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
}
