import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { logFileOf, logFilesIn } from '../../sinks/log-files.ts'

const UNPACK = { gzip: createGunzip, zstd: createZstdDecompress }

/** Returns the session log at a path, or those in a folder, in the order they were written. */
export function sessionLogsAt(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return logFilesIn(path).map(({ file }) => join(path, file))
  return found?.isFile() && logFileOf(basename(path)) !== null ? [join(dirname(path), basename(path))] : []
}

/** What is done with an unpacked file. */
export type Work<T> = (plain: string) => Promise<T>

/** Runs `work` on the file as plain text. */
export async function unpacked<T>(dataDir: string, path: string, work: Work<T>): Promise<T> {
  const compression = logFileOf(basename(path))?.compression ?? null
  if (compression === null) return work(path)
  const unpack = (to: string) =>
    pipeline(createReadStream(path), UNPACK[compression](), createWriteStream(to, { mode: 0o600 }))
  return unpackedBy(unpack, dataDir, work)
}

/** Runs `work` on a file that `unpack` writes into a temporary folder in the data folder. */
export async function unpackedBy<T>(unpack: (to: string) => unknown, dataDir: string, work: Work<T>): Promise<T> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(dataDir, '.import-'))
  try {
    const plain = join(folder, 'unpacked.jsonl')
    await unpack(plain)
    return await work(plain)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
