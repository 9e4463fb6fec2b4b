import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { ReadableDb, WritableDb } from '../database/connection.ts'
import { CONTENT_DICTIONARY } from '../../decode/wire/content-dictionary.ts'

/** Below this many bytes compression gains nothing. */
const COMPRESS_FROM_BYTES = 256
/** Maximum size that zlib returns in one piece. */
const CHUNK_BYTES = 16 * 1024
/** Beginnings of the payloads that the dictionary was made for. Other texts gain little from it, and take longer. */
const PAYLOAD_OF_EXCHANGE = '{"exchange_id":'
/** Larger ones consist mainly of unique text. */
const DICTIONARY_TO_BYTES = 16 * 1024
/** Bounds the texts that wait for their event; larger than any request. */
const MAX_WAITING_CHARACTERS = 64 * 1024 * 1024

/** Reads texts from `contents` by their hash (hex); null if there is none. */
export function contentReader(db: Pick<ReadableDb, 'prepare'>): (hash: string) => string | null {
  const select = db.prepare<[Buffer], { encoding: string; data: Buffer }>(
    'SELECT encoding, data FROM contents WHERE hash = ?',
  )
  return (hash) => {
    const row = select.get(Buffer.from(hash, 'hex'))
    if (!row) return null
    return contentText(row.encoding, row.data)
  }
}

/** Returns the text of a row of `contents`. A frame that was compressed without the dictionary reads the same with it. */
export function contentText(encoding: string, data: Uint8Array): string {
  const plain = encoding === 'zstd' ? zstdDecompressSync(data, { dictionary: CONTENT_DICTIONARY }) : data
  return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString()
}

/** A text in the form of its row of `contents`. */
export interface ContentRow {
  /** Before compression. */
  readonly bytes: number
  readonly encoding: 'zstd' | 'plain'
  readonly data: Uint8Array
  /** Contents that the text refers to. */
  readonly children: readonly string[]
}

export function contentRow(text: string, children: readonly string[]): ContentRow {
  const plain = Buffer.from(text)
  const packed = plain.length >= COMPRESS_FROM_BYTES ? compressed(text, plain) : plain
  const isSmaller = packed.length < plain.length
  return {
    bytes: plain.length,
    encoding: isSmaller ? 'zstd' : 'plain',
    data: isSmaller ? packed : plain,
    children,
  }
}

function compressed(text: string, plain: Uint8Array): Uint8Array {
  const hasDictionary = plain.length <= DICTIONARY_TO_BYTES && text.startsWith(PAYLOAD_OF_EXCHANGE)
  // By default, each call allocates and frees a buffer of 16 KB for its result.
  const chunkSize = Math.min(plain.length, CHUNK_BYTES)
  return zstdCompressSync(plain, hasDictionary ? { chunkSize, dictionary: CONTENT_DICTIONARY } : { chunkSize })
}

interface Waiting {
  readonly text: string
  readonly children: readonly string[]
}

/** Texts and blocks, each stored once, with a count of references. */
export type Contents = ReturnType<typeof createContents>

/** Reading also finds texts that are only in memory. */
export function createContents(db: WritableDb, hashOf: (text: string) => string) {
  const read = contentReader(db)
  const count = db.prepare<[Buffer]>('UPDATE contents SET refs = refs + 1 WHERE hash = ?')
  const insert = db.prepare<[Buffer, number, string, Uint8Array]>(
    'INSERT INTO contents (hash, refs, bytes, encoding, data) VALUES (?, 1, ?, ?, ?)',
  )
  const waiting = new Map<string, Waiting>()
  const settled = new Set<string>()
  let waitingCharacters = 0

  const forget = (hash: string): void => {
    const entry = waiting.get(hash)
    if (!entry) return
    waiting.delete(hash)
    waitingCharacters -= entry.text.length
  }

  const refer = (hashes: readonly string[], rows?: ReadonlyMap<string, ContentRow>): void => {
    for (const hash of hashes) {
      const id = Buffer.from(hash, 'hex')
      const known = count.run(id).changes > 0
      const entry = waiting.get(hash)
      if (entry) settled.add(hash)
      if (known) continue
      const row = rows?.get(hash) ?? (entry && contentRow(entry.text, entry.children))
      // Deleted, such as a block of an older request: the reference stays and reads as null.
      if (!row) continue
      insert.run(id, row.bytes, row.encoding, row.data)
      refer(row.children, rows)
    }
  }

  return {
    /** Keeps a text in memory until something stored refers to it; `children` are contents that the text refers to. */
    keep(text: string, children: readonly string[] = []) {
      const hash = hashOf(text)
      if (waiting.has(hash)) return hash
      waiting.set(hash, { text, children })
      waitingCharacters += text.length
      for (const oldest of waiting.keys()) {
        if (waitingCharacters <= MAX_WAITING_CHARACTERS || oldest === hash) break
        forget(oldest)
      }
      return hash
    },
    /** Adds a reference to each; stores texts that were only in memory, or that `rows` holds. */
    refer,
    /** Returns a text that is only in memory; null if it is stored or unknown. */
    unsaved: (hash: string) => waiting.get(hash)?.text ?? null,
    get: (hash: string) => waiting.get(hash)?.text ?? read(hash),
    /** Drops stored texts from memory; after a commit. */
    committed() {
      for (const hash of settled) forget(hash)
      settled.clear()
    },
    /** Keeps everything in memory again; after a rollback. */
    rolledBack: () => settled.clear(),
  }
}
