import { damaged } from './page-slack.ts'
import type { RawFile } from './raw-file.ts'

/** The kinds of pages that the pointer map tells apart. The format: https://sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages */
const KINDS = [null, 'b-tree', 'free', 'first overflow', 'overflow', 'b-tree'] as const
type PageKind = 'b-tree' | 'free' | 'first overflow' | 'overflow' | 'map' | 'unused'

const ENTRY_BYTES = 5
/** SQLite never uses the page at this offset: it locks bytes of it. */
const LOCKED_OFFSET = 0x40000000
const FIRST_TRUNK_OFFSET = 32

/** What each page of a database file holds. Valid only as long as the file does not change. */
export class PageMap {
  readonly pageBytes: number
  readonly usableBytes: number
  readonly pageCount: number
  readonly #file: RawFile
  readonly #entries: Buffer
  readonly #header = Buffer.alloc(100)
  #loaded = 0
  #trunks: Map<number, number> | null = null

  constructor(file: RawFile) {
    this.#file = file
    file.read(this.#header, 0)
    const pageBytes = this.#header.readUInt16BE(16)
    this.pageBytes = pageBytes === 1 ? 65_536 : pageBytes
    this.usableBytes = this.pageBytes - this.#header.readUInt8(20)
    this.pageCount = this.#header.readUInt32BE(28)
    this.#entries = Buffer.alloc(this.pageBytes)
  }

  /** @throws AspyError store_unavailable if the map is damaged */
  kindOf(page: number): PageKind {
    if (page === 1) return 'b-tree'
    if (page === this.#lockedPage) return 'unused'
    if (page === this.#mapPageOf(page)) return 'map'
    const kind = KINDS[this.#entry(page).readUInt8(0)]
    if (kind === undefined || kind === null) throw damaged(page)
    return kind
  }

  /** Returns the page of the b-tree that an overflow page belongs to. */
  ownerOf(page: number): number {
    let owner = page
    for (let steps = 0; ; steps += 1) {
      const kind = this.kindOf(owner)
      if (kind === 'b-tree') return owner
      if ((kind !== 'first overflow' && kind !== 'overflow') || steps > this.pageCount) throw damaged(page)
      owner = this.#entry(owner).readUInt32BE(1)
    }
  }

  /** Returns how many bytes of a free page list other free pages. */
  usedBytesOfFree(page: number): number {
    this.#trunks ??= this.#readTrunks()
    return this.#trunks.get(page) ?? 0
  }

  #readTrunks(): Map<number, number> {
    const trunks = new Map<number, number>()
    const head = Buffer.alloc(8)
    for (let page = this.#header.readUInt32BE(FIRST_TRUNK_OFFSET); page !== 0; page = head.readUInt32BE(0)) {
      if (page > this.pageCount || trunks.has(page)) throw damaged(page)
      this.#file.read(head, (page - 1) * this.pageBytes)
      trunks.set(page, Math.min(this.usableBytes, head.length + 4 * head.readUInt32BE(4)))
    }
    return trunks
  }

  get #lockedPage(): number {
    return LOCKED_OFFSET / this.pageBytes + 1
  }

  #mapPageOf(page: number): number {
    const perMap = Math.floor(this.usableBytes / ENTRY_BYTES) + 1
    const map = Math.floor((page - 2) / perMap) * perMap + 2
    return map === this.#lockedPage ? map + 1 : map
  }

  #entry(page: number): Buffer {
    const map = this.#mapPageOf(page)
    if (map !== this.#loaded) this.#file.read(this.#entries, (map - 1) * this.pageBytes)
    this.#loaded = map
    const at = ENTRY_BYTES * (page - map - 1)
    return this.#entries.subarray(at, at + ENTRY_BYTES)
  }
}
