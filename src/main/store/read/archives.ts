import type { FrameRow } from '../archive/archive-tables.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { join } from 'node:path'
import { characterStart, firstCharacters } from '../../../shared/cut-text.ts'
import type { JsonObject } from '../../../shared/event.ts'
import { frameTexts, readBytes, type ArchivedEvent } from '../archive/archive-file.ts'
import { ARCHIVE_RUN_KEY, type ArchiveRun } from '../archive/archives.ts'
import { NOT_UNDER_DELETION } from '../delete/deletions.ts'
import { collectStrings } from '../projections/tool-texts.ts'
import { fromCursor, toCursor } from '../../listings/cursor.ts'
import { where } from './page.ts'
import type { Reader } from './reader.ts'

/** An archive whose file exists. */
export interface ExistingArchive {
  readonly month: string
  readonly file: string
  readonly bytes: number
  readonly archived_at: string
}

/** Returns the archives, newest month first. */
export const archiveRows = (reader: Reader): ExistingArchive[] =>
  reader.all<ExistingArchive>(
    `SELECT month, path AS file, bytes, archived_at FROM archives
     WHERE removed_at IS NULL AND bytes > 0 ORDER BY month DESC, id`,
  )

/** Returns the last archive run; null if there was none. */
export function lastRun(reader: Reader): ArchiveRun | null {
  const row = reader.get<{ value: string }>('SELECT value FROM metadata WHERE key = ?', ARCHIVE_RUN_KEY)
  return row === undefined ? null : (JSON.parse(row.value) as ArchiveRun)
}

export type ArchiveHit = OperationOutput<'store.search_archives'>['items'][number]

interface SearchOptions {
  /** Folded; a text must contain all of them. */
  readonly words: readonly string[]
  readonly session_id?: string
  readonly project?: string
  readonly since?: string
  readonly until?: string
  readonly limit: number
  readonly cursor?: string
}

const IS_KNOWN = `SELECT 1 FROM archived_events a JOIN events e ON e.id = a.id WHERE a.id = ? AND e.${NOT_UNDER_DELETION}`

interface FramePlace extends FrameRow {
  readonly path: string
  readonly month: string
}

/** Bounds the frames whose positions are read at once. */
const FRAMES_AT_ONCE = 50
const CONTEXT_CHARACTERS = 300

/**
 * Reads archives frame by frame, newest first, until the page is full or the call's time is up. In the second case the
 * page is `partial`, and the next page continues from there.
 */
export function searchArchives(
  reader: Reader,
  options: SearchOptions,
): { items: ArchiveHit[]; next: string | null; partial?: true } {
  const items: ArchiveHit[] = []
  let after: readonly [string, number, number] =
    options.cursor === undefined ? ['9999', 0, 0] : fromCursor(options.cursor, ['string', 'number', 'number'])
  for (;;) {
    const places = framesAfter(reader, after, options)
    for (const place of places) {
      if (reader.budget.over) return { items, next: toCursor(after), partial: true }
      items.push(...hitsIn(reader, place, options))
      after = [place.month, place.archive, place.frame]
      if (items.length >= options.limit) return { items, next: toCursor(after) }
    }
    if (places.length < FRAMES_AT_ONCE) return { items, next: null }
  }
}

function framesAfter(
  reader: Reader,
  [month, archive, frame]: readonly [string, number, number],
  { since, until }: SearchOptions,
): FramePlace[] {
  const filter = where()
  filter.add('a.removed_at IS NULL')
  filter.add('f.bytes > 0')
  filter.add('(a.month < ? OR (a.month = ? AND (a.id, f.frame) > (?, ?)))', month, month, archive, frame)
  if (since !== undefined) filter.add('a.month >= ?', since.slice(0, 7))
  if (until !== undefined) filter.add('a.month <= ?', until.slice(0, 7))
  return reader.all<FramePlace>(
    `SELECT a.id AS archive, a.path, a.month, f.frame, f.start, f.bytes
     FROM archives a JOIN archive_frames f ON f.archive = a.id ${filter.sql}
     ORDER BY a.month DESC, a.id, f.frame LIMIT ${FRAMES_AT_ONCE}`,
    ...filter.values,
  )
}

function hitsIn(reader: Reader, place: FramePlace, options: SearchOptions): ArchiveHit[] {
  const { words, session_id, project, since, until } = options
  const hits: ArchiveHit[] = []
  for (const text of frameTexts(readBytes(join(reader.archiveFolder, place.path), place.start, place.bytes))) {
    const folded = text.toLowerCase()
    if (!text.startsWith('{"id"') || !words.every((word) => folded.includes(word))) continue
    const { id, event } = JSON.parse(text) as ArchivedEvent
    if (event.kind !== 'tool_call' && event.kind !== 'tool_result') continue
    if (session_id !== undefined && event.session_id !== session_id) continue
    if (project !== undefined && event['project'] !== project) continue
    if ((since !== undefined && event.ts_wall < since) || (until !== undefined && event.ts_wall >= until)) continue
    const content = textOf(event.payload)
    const lower = content.toLowerCase()
    if (!words.every((word) => lower.includes(word))) continue
    // A file may still contain recently deleted data.
    if (reader.get(IS_KNOWN, id) === undefined) continue
    hits.push({
      uuid: event.uuid,
      session_id: event.session_id,
      turn_id: Number(event['turn_id']),
      kind: event.kind,
      timestamp: event.ts_wall,
      project: typeof event['project'] === 'string' ? event['project'] : null,
      content: around(content, lower.indexOf(words[0] ?? '')),
    })
  }
  return hits
}

function textOf(payload: JsonObject): string {
  const parts: string[] = []
  for (const name of ['tool_name', 'input', 'output']) collectStrings(payload[name] ?? null, parts)
  return parts.join('\n')
}

function around(text: string, at: number): string {
  const start = characterStart(text, Math.max(0, at - CONTEXT_CHARACTERS / 2))
  return firstCharacters(text.slice(start), CONTEXT_CHARACTERS)
}
