import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'

const BLOCK = 512

/** Unpacks a tar file in zstd (ustar) into a folder, with files of mode 0600. */
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
