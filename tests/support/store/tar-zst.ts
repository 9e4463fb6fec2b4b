import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Packs a folder into one file (ustar in zstd), which `tar --zstd -xf` can read. Keeps only names, bytes and modes. */

const BLOCK = 512
/** Large enough to match pages of a database in its backup, tens of megabytes later. */
const WINDOW_LOG = 27

export function packFolder(folder: string, file: string): void {
  const blocks: Buffer[] = []
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const path of paths) {
    const bytes = readFileSync(path)
    blocks.push(headerOf(relative(folder, path).split(sep).join('/'), bytes.length), bytes, padding(bytes.length))
  }
  const tar = Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
  const packed = zstdCompressSync(tar, {
    params: {
      [constants.ZSTD_c_compressionLevel]: 19,
      [constants.ZSTD_c_windowLog]: WINDOW_LOG,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    },
  })
  writeFileSync(file, packed)
}

/** Unpacks a file from `packFolder` into a folder, with files of mode 0600. */
export function unpackFolder(file: string, folder: string): void {
  const tar = zstdDecompressSync(readFileSync(file))
  for (let at = 0; tar[at] !== 0;) {
    const name = textAt(tar, at, 100)
    const prefix = textAt(tar, at + 345, 155)
    const size = Number.parseInt(textAt(tar, at + 124, 12), 8)
    const path = join(folder, prefix, name)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    at += BLOCK
    writeFileSync(path, tar.subarray(at, at + size))
    chmodSync(path, 0o600)
    at += size + padding(size).length
  }
}

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)

function textAt(tar: Buffer, at: number, length: number): string {
  const field = tar.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.subarray(0, end === -1 ? length : end).toString()
}

function headerOf(path: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const cut = path.length <= 100 ? 0 : path.indexOf('/', path.length - 101) + 1
  header.write(path.slice(cut), 0)
  header.write(path.slice(0, Math.max(0, cut - 1)), 345)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  header.write(`${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(size, 11)}\0${octal(0, 11)}\0`, 100)
  header.write('        0', 148)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}
