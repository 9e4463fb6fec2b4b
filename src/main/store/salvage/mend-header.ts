import { closeSync, copyFileSync, existsSync, openSync, readSync, statSync, writeSync } from 'node:fs'

const HEADER_BYTES = 100
const PAGE_BYTES = 4096

/**
 * Copies a database, and its write-ahead log, to `copy` with a header as SQLite writes it for Aspy: the first hundred
 * bytes alone decide whether the pages behind them are read. Returns false if the file has no page.
 */
export function copyWithHeader(path: string, copy: string): boolean {
  const pages = Math.floor(statSync(path).size / PAGE_BYTES)
  if (pages === 0) return false
  copyFileSync(path, copy)
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`)
  const file = openSync(copy, 'r+')
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    readSync(file, header, 0, HEADER_BYTES, 0)
    header.write('SQLite format 3\0', 0, 'latin1')
    header.writeUInt16BE(PAGE_BYTES, 16)
    // Version 2 (a write-ahead log), no reserved bytes, shares of a page that are fixed.
    header.set([2, 2, 0, 64, 32, 32], 18)
    const [changes, size, freePages, schemaFormat, encoding, sizeIsOfChange] = [24, 28, 36, 44, 56, 92]
    header.writeUInt32BE(1, changes)
    header.writeUInt32BE(pages, size)
    header.fill(0, freePages - 4, freePages + 4)
    header.writeUInt32BE(4, schemaFormat)
    header.writeUInt32BE(1, encoding)
    header.writeUInt32BE(1, sizeIsOfChange)
    writeSync(file, header, 0, HEADER_BYTES, 0)
    return true
  } finally {
    closeSync(file)
  }
}
