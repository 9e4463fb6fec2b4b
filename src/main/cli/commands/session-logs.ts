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

/** Runs `work` on the file as plain text. A compressed file is unpacked to a temporary folder in the data folder. */
export async function unpacked<T>(dataDir: string, path: string, work: (plain: string) => Promise<T>): Promise<T> {
  const compression = logFileOf(basename(path))?.compression ?? null
  if (compression === null) return work(path)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(dataDir, '.import-'))
  try {
    const plain = join(folder, 'session.jsonl')
    await pipeline(createReadStream(path), UNPACK[compression](), createWriteStream(plain, { mode: 0o600 }))
    return await work(plain)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
