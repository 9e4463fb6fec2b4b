import {
  chmodSync,
  close,
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../../shared/config.ts'
import type { AnyEvent } from '../../../shared/event.ts'
import { logFileOf, logFilesIn, sessionLogName } from '../log-files.ts'
import { createLogKeeper } from './log-keeper.ts'
import type { LogKeeper } from './log-keeper.ts'
import { sessionLogLine } from './log-line.ts'

/** Open files at once; sessions beyond that are opened again when they go on. */
const MAX_HANDLES = 16

/** A log whose session does not go on is told of no longer. */
const TROUBLE_TOLD_MS = 5 * 60_000

/** Session logs: `logs/session-<id>.jsonl`, a line an event, for people with jq and grep. */
export interface SessionLog {
  /** Appends committed events. Never throws: lines that could not be written are counted. */
  write(events: readonly AnyEvent[]): void
  /** Takes all files of a session's log away. */
  remove(sessionId: string): void
  /** Closes a log that is held open; it is opened anew when its session goes on. */
  release(name: string): void
  /** Compresses full parts, and removes what is older or more than the settings keep. Returns at once. */
  tidyUp(): void
  /** Until the returned function is called no file is put aside, compressed or removed; lines are written all the same. */
  hold(): Promise<() => void>
  status(): SessionLogStatus
  close(): void
}

export interface SessionLogStatus {
  readonly lines: number
  /** Lines that could not be written. */
  readonly failed: number
  /** Why the last lines could not be written, or what `tidyUp` did not manage; null: all is well. */
  readonly problem: string | null
}

export interface SessionLogOptions {
  readonly dataDir: string
  readonly settings: Config['session_log']
  /** By which other sources an event is known. */
  keysOf(uuid: string): readonly string[]
}

interface Handle {
  readonly file: number
  bytes: number
}

/** Opens nothing before the first event. Files have mode 0600, the folder 0700. */
export function createSessionLog({ dataDir, settings, keysOf }: SessionLogOptions): SessionLog {
  const folder = join(dataDir, 'logs')
  // In the order of use: the first is the one that rested longest.
  const handles = new Map<string, Handle>()
  const keeper: LogKeeper = createLogKeeper({ folder, settings, isOpen: (name) => handles.has(name) })
  let [written, failed] = [0, 0]
  let holds = 0
  let trouble: { readonly name: string; readonly at: number; readonly message: string } | null = null

  function handleOf(name: string): Handle {
    const known = handles.get(name)
    if (known !== undefined) {
      handles.delete(name)
      handles.set(name, known)
      return known
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, name)
    const file = openSync(path, 'a', 0o600)
    const handle = { file, bytes: fstatSync(file).size }
    handles.set(name, handle)
    chmodSync(path, 0o600)
    const eldest = handles.keys().next().value
    if (handles.size > MAX_HANDLES && eldest !== undefined) release(eldest)
    return handle
  }

  function release(name: string): void {
    const handle = handles.get(name)
    handles.delete(name)
    if (handle !== undefined) closeSync(handle.file)
  }

  function append(name: string, lines: readonly string[]): void {
    let done = 0
    try {
      for (const batch of batchesOf(name, lines)) {
        writeWhole(handleOf(name), Buffer.from(batch.join('')))
        done += batch.length
      }
      if (trouble?.name === name) trouble = null
    } catch (error) {
      // Capture goes on without this file; what it lacks is counted and shown.
      failed += lines.length - done
      trouble = { name, at: performance.now(), message: error instanceof Error ? error.message : String(error) }
      forget(name)
    }
    written += done
  }

  /** Lines as they fit into a file, the full one put aside before each further one; a longer line stands alone. */
  function* batchesOf(name: string, lines: readonly string[]): Generator<readonly string[]> {
    const most = settings.max_file_bytes || Infinity
    let batch: string[] = []
    let bytes = handleOf(name).bytes
    for (const line of lines) {
      const length = Buffer.byteLength(line)
      if (bytes > 0 && bytes + length > most && holds === 0) {
        if (batch.length > 0) yield batch
        batch = []
        putAside(name)
        bytes = 0
      }
      batch.push(line)
      bytes += length
    }
    if (batch.length > 0) yield batch
  }

  /** The full file becomes the newest part of its log. */
  function putAside(name: string): void {
    release(name)
    const parts = logFilesIn(folder).flatMap(({ log, part }) => (log === name && part !== null ? [part] : []))
    renameSync(join(folder, name), join(folder, `${name}.${Math.max(0, ...parts) + 1}`))
    keeper.tidyUp()
  }

  function forget(name: string): void {
    const handle = handles.get(name)
    handles.delete(name)
    // Without waiting for an answer: a handle that cannot be closed is gone all the same.
    if (handle !== undefined) close(handle.file, () => undefined)
  }

  return {
    write(events) {
      const bySession = Map.groupBy(events, (event) => sessionLogName(event.session_id))
      for (const [name, ofSession] of bySession)
        append(
          name,
          ofSession.map((event) => sessionLogLine(event, keysOf(event.uuid))),
        )
    },
    remove(sessionId) {
      const name = sessionLogName(sessionId)
      release(name)
      keeper.remove((file) => logFileOf(file)?.log === name)
    },
    release,
    tidyUp: keeper.tidyUp,
    async hold() {
      holds += 1
      const release = await keeper.hold()
      return () => {
        holds -= 1
        release()
      }
    },
    status() {
      if (trouble !== null && performance.now() - trouble.at > TROUBLE_TOLD_MS) trouble = null
      return { lines: written, failed, problem: trouble?.message ?? keeper.problem() }
    },
    close() {
      keeper.close()
      for (const name of handles.keys()) release(name)
    },
  }
}

/** All of it or, where the disk is full in the middle, nothing: half a line would spoil the next one too. */
function writeWhole(handle: Handle, bytes: Buffer): void {
  let done = 0
  try {
    while (done < bytes.length) done += writeSync(handle.file, bytes, done)
  } catch (error) {
    if (done > 0) ftruncateSync(handle.file, handle.bytes)
    throw error
  }
  handle.bytes += bytes.length
}
