import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { JsonObject } from '../../../shared/event.ts'
import { jsonOrNull } from '../../../shared/json-fields.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import { TEMP_SUFFIX, type Compression, type LogFile } from '../log-files.ts'

const CHUNK_BYTES = 256 * 1024
const NEWLINE = 0x0a
/** Interval for checking whether a compression has finished. */
const PAUSE_MS = 10

const UNPACK = { gzip: createGunzip, zstd: createZstdDecompress }
const PACK = { gzip: createGzip, zstd: createZstdCompress }

/**
 * Redacts one log file with the current rules, compressed or not. Each step yields the time to wait before the next, in ms.
 * Returns true if anything changed.
 */
export function* redactLogFile(
  folder: string,
  { file, compression }: LogFile,
  redactor: Redactor,
  release: () => void,
): Generator<number, boolean> {
  const path = join(folder, file)
  if (compression === null) return yield* redactPlainFile(path, redactor, release)
  const plain = `${path}.plain${TEMP_SUFFIX}`
  const packed = `${path}${TEMP_SUFFIX}`
  try {
    yield* recode(path, UNPACK[compression], plain)
    const changed = yield* redactPlainFile(plain, redactor, release)
    if (!changed) return false
    yield* recode(plain, PACK[compression], packed)
    renameSync(packed, path)
    return true
  } finally {
    rmSync(plain, { force: true })
    rmSync(packed, { force: true })
  }
}

type Coder = (typeof UNPACK)[Compression] | (typeof PACK)[Compression]

/** Compresses or decompresses a file in the background, yielding until it has finished. */
function* recode(from: string, coder: Coder, to: string): Generator<number, void> {
  const abort = new AbortController()
  const outcome: { isDone: boolean; error: unknown } = { isDone: false, error: null }
  pipeline(createReadStream(from), coder(), createWriteStream(to, { mode: 0o600 }), { signal: abort.signal })
    .catch((error: unknown) => void (outcome.error = error))
    .finally(() => void (outcome.isDone = true))
  try {
    while (!outcome.isDone) yield PAUSE_MS
  } finally {
    abort.abort()
  }
  if (outcome.error !== null) throw outcome.error
}

/**
 * Redacts an uncompressed log, in chunks of a few milliseconds. Includes lines added in the meantime. Calls `release`
 * to close the file just before replacing it. Returns true if anything changed.
 */
function* redactPlainFile(path: string, redactor: Redactor, release: () => void): Generator<number, boolean> {
  const temporary = `${path}${TEMP_SUFFIX}`
  const from = openSync(path, 'r')
  const to = openSync(temporary, 'w', 0o600)
  let changed = false
  try {
    let at = 0
    for (let rest: Buffer = Buffer.alloc(0); ;) {
      const { bytes, isLast } = readChunk(from, at, rest)
      at += bytes.length - rest.length
      const end = isLast ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1
      const before = bytes.toString('utf8', 0, end)
      const after = redactLines(before, redactor)
      changed ||= after !== before
      writeWhole(to, Buffer.from(after))
      rest = bytes.subarray(end)
      // Nothing else runs between the last chunk and the replacement, so no line is lost.
      if (isLast) break
      yield 0
    }
    if (changed) {
      release()
      renameSync(temporary, path)
    }
  } finally {
    closeSync(from)
    closeSync(to)
    rmSync(temporary, { force: true })
  }
  return changed
}

function readChunk(file: number, at: number, rest: Buffer): { readonly bytes: Buffer; readonly isLast: boolean } {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const length = readSync(file, chunk, 0, chunk.length, at)
  const isLast = at + length >= fstatSync(file).size
  return { bytes: Buffer.concat([rest, chunk.subarray(0, length)]), isLast }
}

interface Line {
  readonly text: string
  readonly value: JsonObject | null
}

/** Redacts each line; adjacent answers or thoughts are redacted as one text. */
function redactLines(text: string, redactor: Redactor): string {
  const lines = text.split('\n').map((line): Line => ({ text: line, value: parse(line) }))
  const joined = joinNeighbours(lines, redactor)
  return joined
    .map(({ text: line, value }) => {
      if (value === null) return redactor.text(line)
      noteCall(value, redactor)
      const redacted = redactor.json(value)
      return redacted === value ? line : JSON.stringify(redacted)
    })
    .join('\n')
}

function joinNeighbours(lines: readonly Line[], redactor: Redactor): readonly Line[] {
  const out = [...lines]
  for (let start = 0; start < lines.length;) {
    const type = proseType(lines[start])
    let end = start + 1
    while (proseType(lines[end]) === type && end < lines.length) end += 1
    if (type !== null && end - start > 1) {
      const texts = lines.slice(start, end).map(({ value }) => String(value?.['content'] ?? ''))
      redactor.joined(texts).forEach((content, index) => {
        const value = lines[start + index]?.value
        if (!value || content === texts[index]) return
        const changed = { ...value, content }
        out[start + index] = { text: JSON.stringify(changed), value: changed }
      })
    }
    start = end
  }
  return out
}

function proseType(line: Line | undefined): string | null {
  const type = line?.value?.['type']
  return type === 'Thinking' || type === 'AssistantText' ? type : null
}

/** Shows calls to the redactor, which treats the result of a call that shows a .env file as one. */
function noteCall({ type, call_id: id, content }: JsonObject, redactor: Redactor): void {
  const input = type === 'ToolCall' && typeof content === 'string' ? parse(content) : null
  if (input !== null) redactor.json({ id: id ?? null, input })
}

const parse = (line: string): JsonObject | null =>
  line.startsWith('{') ? (jsonOrNull(line) as JsonObject | null) : null

function writeWhole(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done)
}
