import type { Checkpointer } from '../../database/checkpointer.ts'
import type { WritableDb } from '../../database/connection.ts'
import { FrozenFile } from './frozen-file.ts'
import { PageMap } from './page-map.ts'
import { damaged, overflowsOf, slackOf, type ByteRange, type Overflow } from './page-slack.ts'
import { openRawFile, type RawFile } from './raw-file.ts'

const SLICE_MS = 8
/** Pages read at once. */
const CHUNK_PAGES = 64
const ZEROS = Buffer.alloc(65_536)
/** So many changed pages are wiped at once, while traffic waits. */
const MOST_AT_ONCE = 256
/** Rounds over pages that traffic changed meanwhile. */
const MOST_ROUNDS = 10

/**
 * Overwrites every unused byte of the database file with zeros, while the writer continues. SQLite's `secure_delete`
 * zeroes deleted rows only, and a page that was split or joined keeps copies of moved rows behind its own. Pages that
 * traffic changes meanwhile are wiped again at the end: what the writer has in memory may hold old bytes. An interruption
 * at any point leaves a sound database. Yields pauses in milliseconds. Returns false if the file could not be kept
 * unchanged, because somebody reads the WAL all the time. The zeros are on disk only after a sync of the file. `sliceMs`
 * bounds a step; with 0, each wipes as little as possible.
 */
export function* wipeSlack(
  db: WritableDb,
  path: string,
  checkpointer: Checkpointer | null,
  sliceMs = SLICE_MS,
): Generator<number, boolean, void> {
  const pageBytes = Number(db.pragma('page_size', { simple: true }))
  const frozen = new FrozenFile(db, path, pageBytes, checkpointer)
  try {
    return yield* wipeWhileFrozen(db, frozen, () => new Pages(openRawFile(path), sliceMs))
  } finally {
    frozen.close()
  }
}

function* wipeWhileFrozen(db: WritableDb, frozen: FrozenFile, read: () => Pages): Generator<number, boolean, void> {
  let next = 1
  for (let isMore = true; isMore;) {
    if (!(yield* frozen.freeze('PASSIVE'))) return false
    const pages = read()
    for (; next <= pages.count && frozen.isFrozen(); yield 0) next = pages.wipeFrom(next)
    isMore = next <= pages.count
  }
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    const changed = frozen.takeChanged()
    if (changed.size <= MOST_AT_ONCE) return yield* wipeLast(db, frozen, read, changed)
    if (!(yield* frozen.freeze('PASSIVE'))) return false
    const pages = read()
    const left = [...changed]
    for (; left.length > 0 && frozen.isFrozen(); yield 0) pages.wipeSome(left)
    frozen.addChanged(left)
  }
  return yield* wipeLast(db, frozen, read, frozen.takeChanged())
}

/** Wipes pages that changed, and empties the WAL. Nothing can be written between the two. */
function* wipeLast(
  db: WritableDb,
  frozen: FrozenFile,
  read: () => Pages,
  changed: Set<number>,
): Generator<number, boolean, void> {
  if (!(yield* frozen.freeze('TRUNCATE'))) return false
  // The writer's copies in memory may hold old bytes.
  db.pragma('shrink_memory')
  const left = [...changed.union(frozen.takeChanged())]
  const pages = read()
  while (left.length > 0) pages.wipeSome(left)
  return true
}

/** The pages of a file that does not change. */
class Pages {
  readonly #file: RawFile
  readonly #sliceMs: number
  readonly #map: PageMap
  readonly #chunk: Buffer
  readonly #other: Buffer
  #first = 0

  constructor(file: RawFile, sliceMs: number) {
    this.#file = file
    this.#sliceMs = sliceMs
    this.#map = new PageMap(file)
    this.#chunk = Buffer.alloc(CHUNK_PAGES * this.#map.pageBytes)
    this.#other = Buffer.alloc(this.#map.pageBytes)
  }

  get count(): number {
    return this.#map.pageCount
  }

  /** Wipes pages for some milliseconds; returns the first page that is left. */
  wipeFrom(first: number): number {
    const until = performance.now() + this.#sliceMs
    let page = first
    do {
      this.#file.read(this.#chunk, (page - 1) * this.#map.pageBytes)
      this.#first = page
      for (const end = Math.min(page + CHUNK_PAGES, this.count + 1); page < end; page += 1) this.#wipe(page)
    } while (page <= this.count && performance.now() < until)
    return page
  }

  /** Wipes pages for some milliseconds and removes them from the list. */
  wipeSome(left: number[]): void {
    const until = performance.now() + this.#sliceMs
    this.#first = 0
    do {
      const page = left.pop()
      if (page === undefined) return
      // The file may have become shorter.
      if (page > this.count) continue
      const kind = this.#map.kindOf(page)
      this.#wipe(kind === 'overflow' || kind === 'first overflow' ? this.#map.ownerOf(page) : page)
    } while (performance.now() < until)
  }

  #wipe(page: number): void {
    const kind = this.#map.kindOf(page)
    if (kind === 'free') this.#zero(page, this.#read(page), [this.#map.usedBytesOfFree(page), this.#map.pageBytes])
    if (kind !== 'b-tree') return
    const content = this.#read(page)
    for (const range of slackOf(content, page, this.#map.usableBytes)) this.#zero(page, content, range)
    for (const overflow of overflowsOf(content, page, this.#map.usableBytes)) this.#wipeBehind(page, overflow)
  }

  /** Wipes the end of the last of a cell's overflow pages; the page of the cell does so for all of them. */
  #wipeBehind(owner: number, { firstPage, bytes }: Overflow): void {
    const room = this.#map.usableBytes - 4
    let page = firstPage
    let left = bytes
    for (; left > room; left -= room) page = this.#nextOf(owner, page)
    if (this.#nextOf(owner, page) !== 0) throw damaged(owner)
    this.#zero(page, this.#read(page), [4 + left, this.#map.usableBytes])
  }

  #nextOf(owner: number, page: number): number {
    if (page < 2 || page > this.count) throw damaged(owner)
    return this.#read(page).readUInt32BE(0)
  }

  #zero(page: number, content: Buffer, [start, end]: ByteRange): void {
    if (content.compare(ZEROS, 0, end - start, start, end) === 0) return
    this.#file.zero((page - 1) * this.#map.pageBytes + start, end - start)
  }

  /** Returns a page's bytes, valid until the next call. */
  #read(page: number): Buffer {
    const at = page - this.#first
    const { pageBytes } = this.#map
    if (this.#first > 0 && at >= 0 && at < CHUNK_PAGES)
      return this.#chunk.subarray(at * pageBytes, (at + 1) * pageBytes)
    this.#file.read(this.#other, (page - 1) * pageBytes)
    return this.#other
  }
}
