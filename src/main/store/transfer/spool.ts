import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { v7 as uuidv7 } from 'uuid'
import { fileLines } from '../../base/file-lines.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { AwaitedAnswer, Run } from '../log/answers-in-progress.ts'
import { identityDigest, withIdentity } from '../identity/text-keys.ts'
import { limitDraft, type Limits } from '../log/limits.ts'
import { translated } from '../database/store-error.ts'
import { beginSync } from '../database/sync-file.ts'

/**
 * Holds drafts while the database cannot be written: one redacted draft per line, in a file of mode 0600. Replaying it
 * twice stores each draft once, since every line has a key.
 */
export interface Spool {
  /**
   * Adds drafts in order, without waiting for the disk: as with the database, a crash of the process loses none of them,
   * a crash of the system the last. Drafts refused by the size limit or the disk are counted in `lost`; errors are
   * returned, not thrown.
   */
  write(drafts: readonly AnyDraft[]): { readonly spooled: number; readonly lost: number; readonly error: Error | null }
  /** Adds that a request of a run awaits its answer, before the request itself. A failure is that of the write after it. */
  awaitAnswer(answer: AwaitedAnswer, run: Run): void
  /** The number of waiting drafts. */
  pending(): number
  /** True if no line waits. */
  isEmpty(): boolean
  /**
   * Returns all drafts in order, in batches. The file is removed after the last batch, once `persist` has synced them to
   * disk. If a batch throws, the replay ends with that error, and the next replay starts with the same batch. Returns the
   * number of unreadable lines (such as an incomplete last line).
   */
  replay(
    apply: (drafts: readonly AnyDraft[]) => void,
    persist: () => void,
  ): { readonly replayed: number; readonly unreadable: number }
}

export interface SpoolOptions {
  readonly path: string
  /** The store's keyed hash: identifying texts are written as digests. */
  readonly hash: (text: string) => string
  readonly limits: Limits
  /** Blocks that requests refer to: read when spooled, restored before their request is replayed. */
  readonly contents: { readonly unsaved: (hash: string) => string | null; readonly put: (text: string) => void }
  /** Called in a replay, before the request. */
  readonly onAwaited: Spool['awaitAnswer']
  /** Maximum size of the file; asked before each write. */
  readonly maxBytes?: () => number
  /** Called if earlier writes could not be synced to disk. */
  readonly onUnsynced?: (error: unknown) => void
}

type Line =
  | { readonly draft: AnyDraft }
  | { readonly content: string }
  | { readonly awaited: AwaitedAnswer; readonly run: Run }

/** The maximum size of the spool, unless its options give another. */
export const MAX_SPOOL_BYTES = 256 * 1024 * 1024
/** Drafts replayed in one transaction, for which live traffic waits. */
const BATCH = 50
const READ_BYTES = 1024 * 1024
const NEWLINE = 0x0a
/** Beginning of a line with a draft. */
const DRAFT_HEAD = Buffer.from('{"draft":')

/** Opens the spool; drafts that an earlier run left are counted and kept. */
export function createSpool(options: SpoolOptions): Spool {
  const { path, hash, limits, contents, onAwaited, onUnsynced = () => undefined } = options
  const maxBytes = () => options.maxBytes?.() ?? MAX_SPOOL_BYTES
  /** Contents that the file already holds. */
  const written = new Set<string>()
  let position = 0
  let isSyncing = false
  let isUnsynced = false
  let waiting = countDrafts(path)

  const linesFor = (draft: AnyDraft): string => {
    const lines: Line[] = []
    for (const block of blocksOf(draft)) {
      const text = written.has(block) ? null : contents.unsaved(block)
      if (text === null) continue
      lines.push({ content: text })
      written.add(block)
    }
    lines.push({ draft: spoolable(draft, hash, limits) })
    return lines.map(lineOf).join('')
  }

  /** One sync at a time: later writes are synced with the next. */
  const sync = (): void => {
    isUnsynced = isSyncing
    if (isSyncing) return
    isSyncing = true
    const syncing = beginSync(path)
    void syncing.over.then(() => {
      isSyncing = false
      // The spool was emptied in the meantime.
      if (!existsSync(path)) return
      try {
        syncing.finish()
      } catch (error) {
        onUnsynced(error)
      }
      if (isUnsynced) sync()
    })
  }

  return {
    write(drafts) {
      try {
        const text = drafts.map(linesFor).join('')
        appendWhole(path, Buffer.from(text), maxBytes())
        sync()
        waiting += drafts.length
        return { spooled: drafts.length, lost: 0, error: null }
      } catch (error) {
        // The file's contents are unknown now, so the next request writes its contents again.
        written.clear()
        return { spooled: 0, lost: drafts.length, error: error instanceof Error ? error : new Error(String(error)) }
      }
    },
    awaitAnswer(answer, run) {
      const awaited = { ...answer, drafts: answer.drafts.map((draft) => spoolable(draft, hash, limits)) }
      try {
        appendWhole(path, Buffer.from(lineOf({ awaited, run })), maxBytes())
      } catch (error) {
        if (!(error instanceof Error)) throw error
      }
    },
    pending: () => waiting,
    isEmpty: () => !isFile(path) || statSync(path).size === 0,
    replay(apply, persist) {
      let replayed = 0
      let unreadable = 0
      let batch: AnyDraft[] = []
      let read = position
      const take = () => {
        apply(batch)
        replayed += batch.length
        waiting -= batch.length
        position = read
        batch = []
      }
      for (const { text, end, isWhole } of isFile(path) ? fileLines(path, position) : []) {
        read = end
        if (text === '') continue
        const line = isWhole ? parseLine(text) : null
        if (line === null) unreadable += 1
        else if ('content' in line) contents.put(line.content)
        else if ('awaited' in line) onAwaited(line.awaited, line.run)
        else if (batch.push(line.draft) === BATCH) take()
      }
      if (batch.length > 0) take()
      translated(() => {
        persist()
        if (isFile(path)) unlinkSync(path)
      })
      position = 0
      waiting = 0
      written.clear()
      return { replayed, unreadable }
    },
  }
}

const lineOf = (line: Line): string => `${JSON.stringify(line)}\n`

/** Returns a draft as it may be written to disk: limited, with its identifying text as a digest. */
function spoolable(draft: AnyDraft, hash: (text: string) => string, limits: Limits): AnyDraft {
  const identified = withIdentity(draft)
  const { text_identity: identity } = identified
  const limited = limitDraft(identified, limits)
  return {
    ...limited,
    keys: limited.keys.length > 0 ? limited.keys : [`spool:${uuidv7()}`],
    ...(identity ? { text_identity: { ...identity, text: identityDigest(identity.text, hash) } } : {}),
  }
}

function blocksOf(draft: AnyDraft): readonly string[] {
  if (draft.kind !== 'model_request' || draft.payload.request === null) return []
  const { add, system, tools } = draft.payload.request
  return [...add.flatMap((message) => message.blocks), ...system, ...tools]
}

/** Appends; a partial write is truncated again. */
function appendWhole(path: string, bytes: Buffer, maxBytes: number): void {
  const file = openSync(path, 'a+', 0o600)
  try {
    const { size } = fstatSync(file)
    if (size + bytes.length > maxBytes)
      throw new Error(`the spool ${path} is full (${maxBytes} bytes): make the database writable again`)
    try {
      if (size > 0 && !endsWithNewline(file, size)) writeSync(file, '\n')
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done)
    } catch (error) {
      ftruncateSync(file, size)
      throw error
    }
  } finally {
    closeSync(file)
  }
}

function endsWithNewline(file: number, size: number): boolean {
  const last = Buffer.alloc(1)
  readSync(file, last, 0, 1, size - 1)
  return last[0] === NEWLINE
}

/** What else has the name of the spool, such as a folder, holds no events: recording goes on without it. */
const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

/** Counts the whole lines with drafts. Does not parse them: that takes seconds for a full spool, and the recorder waits. */
function countDrafts(path: string): number {
  if (!isFile(path)) return 0
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(READ_BYTES)
    let head: Buffer = Buffer.alloc(0)
    let drafts = 0
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      let start = 0
      const begun = (end: number) =>
        Buffer.concat([head, chunk.subarray(start, Math.min(end, start + DRAFT_HEAD.length))])
      for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < length; end = chunk.indexOf(NEWLINE, start)) {
        if (begun(end).subarray(0, DRAFT_HEAD.length).equals(DRAFT_HEAD)) drafts += 1
        head = head.subarray(0, 0)
        start = end + 1
      }
      head = begun(length)
    }
    return drafts
  } finally {
    closeSync(file)
  }
}

function parseLine(text: string): Line | null {
  try {
    const value = JSON.parse(text) as unknown
    const isLine = value !== null && typeof value === 'object'
    return isLine && ('draft' in value || 'content' in value || 'awaited' in value) ? (value as Line) : null
  } catch {
    return null
  }
}
