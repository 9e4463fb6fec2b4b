import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { CONTENT_DICTIONARY } from '../../../src/main/decode/wire/content-dictionary.ts'

/**
 * Searches every byte under a folder for secrets: all files, and every value of every table of its databases. Values and
 * files in zstd are decompressed. Case is ignored, as in a full-text index.
 */
export function secretsIn(folder: string, secrets: readonly string[]): string[] {
  const haystacks: { where: string; text: string }[] = []
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    haystacks.push({ where: entry.name, text: readFileSync(path).toString('latin1') })
    if (entry.name.endsWith('.db')) haystacks.push(...valuesOf(path))
    if (entry.name.endsWith('.zst'))
      haystacks.push({ where: entry.name, text: unpackFrames(readFileSync(path)).toString('latin1') })
  }
  return findSecrets(haystacks, secrets)
}

/**
 * Like `secretsIn`, without the bytes of the database file that SQLite does not use: rows, index entries, frames of the WAL
 * and all other files.
 */
export function readableSecretsIn(folder: string, secrets: readonly string[]): string[] {
  return secretsIn(folder, secrets).filter((found) => !found.startsWith('lifestats.db: '))
}

/** Decompresses all frames of a zstd file; a single call decompresses only the first. */
export function unpackFrames(file: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let rest = file; rest.length > 0;) {
    const options = { info: true } as object
    const { buffer, engine } = zstdDecompressSync(rest, options) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    parts.push(buffer)
    rest = rest.subarray(engine.bytesWritten)
  }
  return Buffer.concat(parts)
}

/** Finds secrets in any form: plain, escaped as JSON, in base64 at any offset, URL-encoded. */
export function findSecrets(
  haystacks: readonly { where: string; text: string }[],
  secrets: readonly string[],
): string[] {
  const needles = secrets.flatMap((secret) => formsOf(secret).map((form) => ({ secret, form: form.toLowerCase() })))
  // Tests one piece of the text every STRIDE characters: any form of a secret has one of its first pieces there.
  const places = new Map<string, { needle: number; offset: number }[]>()
  for (const [needle, { form }] of needles.entries())
    for (let offset = 0; offset < STRIDE; offset += 1) {
      const piece = form.slice(offset, offset + PIECE)
      places.set(piece, [...(places.get(piece) ?? []), { needle, offset }])
    }
  return haystacks.flatMap(({ where, text }) => {
    const folded = text.toLowerCase()
    const found = new Set<number>()
    for (let at = 0; at < folded.length; at += STRIDE)
      for (const { needle, offset } of places.get(folded.slice(at, at + PIECE)) ?? [])
        if (at >= offset && folded.startsWith(needles[needle]?.form ?? '', at - offset)) found.add(needle)
    const named = [...found].toSorted((one, other) => one - other).map((at) => `${where}: ${needles[at]?.secret}`)
    return [...new Set(named)]
  })
}

/** Shorter pieces match by chance and are not searched for. */
const SHORTEST = 14
const PIECE = 8
const STRIDE = SHORTEST - PIECE + 1

function formsOf(secret: string): string[] {
  // The longest run of letters and digits identifies a secret even if its other characters were changed.
  const row = secret.match(/[A-Za-z0-9]+/g)?.toSorted((a, b) => b.length - a.length)[0] ?? secret
  const encoded = [0, 1, 2].map((skipped) => {
    const text = Buffer.concat([Buffer.alloc(skipped), Buffer.from(secret)]).toString('base64')
    return text.slice(4, Math.floor((secret.length + skipped) / 3) * 4 - 4)
  })
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...encoded]
  return [row, ...forms].filter((form) => form.length >= SHORTEST)
}

function valuesOf(path: string): { where: string; text: string }[] {
  const database = new Database(path, { readonly: true })
  try {
    const tables = database.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all()
    return tables.map((table) => {
      const rows = database.prepare<[], unknown[]>(`SELECT * FROM "${table}"`).raw().all()
      return { where: `table ${table}`, text: rows.flat().map(asText).join('\n') }
    })
  } finally {
    database.close()
  }
}

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

function asText(value: unknown): string {
  if (!Buffer.isBuffer(value)) return String(value)
  const isZstd = value.subarray(0, 4).equals(ZSTD)
  return (isZstd ? zstdDecompressSync(value, { dictionary: CONTENT_DICTIONARY }) : value).toString('latin1')
}
