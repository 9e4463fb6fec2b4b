import type { Sighting } from '../log/log.ts'
import { closeSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { JsonObject } from '../../../shared/event.ts'

/**
 * An archive is a file of JSON lines, compressed with zstd in consecutive frames: `zstd -dc FILE | jq` reads it. Its
 * lines are those of an export, except that contents have separate lines, once per file:
 *
 * - `{"aspy_archive": 1, "month": "2026-05"}`: the first line
 * - `{"contents": {"<hash>": "<text>"}}`: a block that requests in this file name
 * - `{"id": 7, "event": {…}, "keys": […], "parent_keys": […], "sightings": [{"id": 9, …}]}`: a whole event
 */
export type ArchiveLine = ArchiveHead | ArchivedContent | ArchivedEvent

export interface ArchiveHead {
  readonly aspy_archive: 1
  readonly month: string
}
export interface ArchivedContent {
  readonly contents: { readonly [hash: string]: string }
}
export interface ArchivedEvent {
  /** The event's id in this log. */
  readonly id: number
  readonly event: {
    readonly uuid: string
    readonly session_id: string
    readonly kind: string
    readonly ts_wall: string
    readonly payload: JsonObject
    readonly [column: string]: unknown
  }
  readonly keys: readonly string[]
  readonly parent_keys: readonly (readonly [string, number])[]
  /** With their ids in this log. */
  readonly sightings: readonly Omit<Sighting, 'uuid'>[]
}

/** Returns the folder of a database's archives. */
export function archiveFolder(databasePath: string): string {
  const name = basename(databasePath)
  return join(dirname(databasePath), name === 'lifestats.db' ? 'archive' : `${name}.archive`)
}

export const encodeFrame = (lines: readonly ArchiveLine[]): Buffer =>
  zstdCompressSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

/** Returns the lines of a frame as stored, without line ends. */
export const frameTexts = (frame: Buffer): readonly string[] =>
  frame.length === 0 ? [] : zstdDecompressSync(frame).toString().trimEnd().split('\n')

/** Reads bytes of a file; throws if the file is shorter. */
export function readBytes(path: string, start: number, bytes: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    if (bytes > 0 && readSync(file, buffer, 0, bytes, start) < bytes) throw new Error(`${path} is truncated`)
    return buffer
  } finally {
    closeSync(file)
  }
}

/** Writes a frame at the end of the file's counted bytes. Anything that an earlier run left after that end is cut off. */
export function appendFrame(path: string, end: number, frame: Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(path, end === 0 ? 'w+' : 'r+', 0o600)
  try {
    ftruncateSync(file, end)
    writeSync(file, frame, 0, frame.length, end)
  } finally {
    closeSync(file)
  }
}

/** Throws if the file does not contain the frame as it was written. */
export function assertFrame(path: string, end: number, frame: Buffer): void {
  if (!readBytes(path, end, frame.length).equals(frame))
    throw new Error(`${path} does not contain what was written to it`)
}
