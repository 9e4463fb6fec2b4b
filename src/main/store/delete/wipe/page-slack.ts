import { AspyError } from '../../../../shared/contract/errors.ts'

/** From one offset to another, the second excluded. */
export type ByteRange = readonly [start: number, end: number]

/** Content of a cell that continues on overflow pages. */
export interface Overflow {
  readonly firstPage: number
  readonly bytes: number
}

const FILE_HEADER_BYTES = 100
const INTERIOR_INDEX = 0x02
const INTERIOR_TABLE = 0x05
const LEAF_INDEX = 0x0a
const LEAF_TABLE = 0x0d
const FREE_BLOCK_HEADER_BYTES = 4

/**
 * Returns the parts of a b-tree page that hold no row: the gap between the cell pointers and the cells, and the free
 * blocks between cells. Up to three bytes between two cells ("fragments") are not among them.
 * The format: https://sqlite.org/fileformat2.html#b_tree_pages
 * @throws AspyError store_unavailable if the page is not a b-tree page
 */
export function slackOf(page: Buffer, pageNumber: number, usableBytes: number): ByteRange[] {
  const { cells, pointers } = layoutOf(page, pageNumber)
  const header = headerAt(pageNumber)
  // 0 means 65,536, which only a page without cells of that size has.
  const content = page.readUInt16BE(header + 5) || 65_536
  const gap = pointers + 2 * cells
  if (content > usableBytes || gap > content) throw damaged(pageNumber)
  const ranges: ByteRange[] = [[gap, content]]
  let at = page.readUInt16BE(header + 1)
  for (let last = content - 1; at !== 0;) {
    if (at <= last || at + FREE_BLOCK_HEADER_BYTES > usableBytes) throw damaged(pageNumber)
    const end = at + page.readUInt16BE(at + 2)
    if (end < at + FREE_BLOCK_HEADER_BYTES || end > usableBytes) throw damaged(pageNumber)
    ranges.push([at + FREE_BLOCK_HEADER_BYTES, end])
    last = end - 1
    at = page.readUInt16BE(at)
  }
  return ranges
}

/**
 * Returns the cells of a b-tree page that continue on overflow pages.
 * @throws AspyError store_unavailable if the page is not a b-tree page
 */
export function overflowsOf(page: Buffer, pageNumber: number, usableBytes: number): Overflow[] {
  const { kind, cells, pointers } = layoutOf(page, pageNumber)
  if (kind === INTERIOR_TABLE) return []
  const mostLocal = kind === LEAF_TABLE ? usableBytes - 35 : Math.floor(((usableBytes - 12) * 64) / 255) - 23
  const leastLocal = Math.floor(((usableBytes - 12) * 32) / 255) - 23
  const found: Overflow[] = []
  for (let cell = 0; cell < cells; cell += 1) {
    let at = page.readUInt16BE(pointers + 2 * cell)
    if (at >= usableBytes) throw damaged(pageNumber)
    // An interior cell begins with the page below it.
    if (kind === INTERIOR_INDEX) at += 4
    const size = readVarint(page, at)
    if (size.value <= mostLocal) continue
    const payload = kind === LEAF_TABLE ? readVarint(page, size.end).end : size.end
    const surplus = leastLocal + ((size.value - leastLocal) % (usableBytes - 4))
    const local = surplus <= mostLocal ? surplus : leastLocal
    if (payload + local + 4 > usableBytes) throw damaged(pageNumber)
    found.push({ firstPage: page.readUInt32BE(payload + local), bytes: size.value - local })
  }
  return found
}

export function damaged(pageNumber: number): AspyError {
  return new AspyError('store_unavailable', `page ${pageNumber} of the database is damaged`)
}

const headerAt = (pageNumber: number): number => (pageNumber === 1 ? FILE_HEADER_BYTES : 0)

function layoutOf(page: Buffer, pageNumber: number) {
  const header = headerAt(pageNumber)
  const kind = page[header]
  const isLeaf = kind === LEAF_INDEX || kind === LEAF_TABLE
  if (!isLeaf && kind !== INTERIOR_INDEX && kind !== INTERIOR_TABLE) throw damaged(pageNumber)
  const pointers = header + (isLeaf ? 8 : 12)
  const cells = page.readUInt16BE(header + 3)
  if (pointers + 2 * cells > page.length) throw damaged(pageNumber)
  return { kind, cells, pointers }
}

/** Seven bits a byte, the highest first; the ninth byte has eight. Sizes fit in a number: SQLite limits them to 2^31. */
function readVarint(page: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let at = start; at < start + 8; at += 1) {
    const byte = page[at] ?? 0
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return { value, end: at + 1 }
  }
  return { value: value * 256 + (page[start + 8] ?? 0), end: start + 9 }
}
