import { join } from 'node:path'
import type { Json, JsonObject, StoredRequest } from '../../../shared/event.ts'
import type { RawHeaders } from '../../proxy/protocol/tap-protocol.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { ReadableDb, WritableDb } from '../database/connection.ts'
import { contentReader } from '../log/contents.ts'
import { redactValue } from './redact-value.ts'
import {
  frameTexts,
  readBytes,
  type ArchivedContent,
  type ArchivedEvent,
  type ArchiveLine,
} from '../archive/archive-file.ts'
import { createArchiveReader } from '../archive/archive-reader.ts'
import { framesOf, existingArchives, type ArchiveRow } from '../archive/archive-tables.ts'
import { rewriteArchive } from '../archive/rewrite-archive.ts'

/** Reads archived data as it would have been redacted when it was recorded. */
interface ArchiveChanges {
  /**
   * Shows the redactor every archived call, since the redaction of a result depends on its call. Each step reads a
   * frame.
   */
  noteCalls(): Generator<void, void, void>
  /** Returns the redactor for the lines of an archive, after steps that each read a frame. */
  changeOf(archive: ArchiveRow): Generator<void, (line: ArchiveLine) => ArchiveLine, void>
  /** Reads an archive; each step returns whether the rules would change its frame. */
  examine(archive: ArchiveRow): Generator<boolean, void, void>
}

/** Redacts archived data as it would have been redacted when it was recorded. */
export interface ArchiveRedaction extends Pick<ArchiveChanges, 'noteCalls'> {
  /** Returns the archives after `after` that are not done, in order. */
  remaining(after: number): readonly ArchiveRow[]
  /** Rewrites an archive and returns the number of changed lines. Each step writes a frame. */
  redact(archive: ArchiveRow): Generator<void, number, void>
}

export function createArchiveRedaction(db: WritableDb, folder: string, redactor: Redactor): ArchiveRedaction {
  const { noteCalls, changeOf } = createArchiveChanges(db, folder, redactor)
  return {
    noteCalls,
    remaining: (after) =>
      existingArchives(db)
        .filter(({ id }) => id > after)
        .toSorted((a, b) => a.id - b.id),
    *redact(archive) {
      return yield* rewriteArchive({ db, folder, change: yield* changeOf(archive) }, archive)
    },
  }
}

/** Finds the changes that the rules would make in archives; reads only. */
export function createArchiveChanges(db: ReadableDb, folder: string, redactor: Redactor): ArchiveChanges {
  const archived = createArchiveReader(db, folder)
  const stored = contentReader(db)
  const blockOf = (hash: string): string | null => archived.content(hash) ?? stored(hash)

  function* eventsOf(archive: ArchiveRow, kind: string): Generator<ArchivedEvent | null, void, void> {
    for (const { start, bytes } of framesOf(db, archive.id)) {
      for (const text of frameTexts(readBytes(join(folder, archive.path), start, bytes))) {
        // Cheaper than parsing every line; a line that merely mentions the kind is excluded below.
        if (!text.startsWith('{"id"') || !text.includes(`"${kind}"`)) continue
        const line = JSON.parse(text) as ArchivedEvent
        if (line.event.kind === kind) yield line
      }
      yield null
    }
  }

  /** Collects the blocks that change only if a message's blocks are redacted together, by hash. */
  function noteJoined(hashes: readonly string[], joined: Map<string, string>): void {
    const texts = hashes.map(blockOf)
    if (hashes.length < 2 || texts.some((text) => text === null)) return
    const blocks = texts.map((text) => JSON.parse(text ?? 'null') as Json)
    const redacted = redactor.json(blocks)
    for (const [at, hash] of hashes.entries())
      if (redacted[at] !== blocks[at]) joined.set(hash, JSON.stringify(redacted[at]))
  }

  function redactEvent(line: ArchivedEvent): ArchivedEvent {
    const { event, sightings } = line
    const callId = event.kind === 'tool_result' ? event.payload['call_id'] : null
    const payload = redactPayload(event.payload, redactor)
    const error = redactOr(event['error_message'])
    const project = redactOr(event['project'])
    const redacted = sightings.map((sighting) => {
      if (sighting.payload === null) return sighting
      const fields =
        typeof callId === 'string'
          ? redactor.json({ tool_use_id: callId, content: sighting.payload }).content
          : redactor.json(sighting.payload)
      return fields === sighting.payload ? sighting : { ...sighting, payload: fields }
    })
    const isSame =
      payload === event.payload &&
      error === event['error_message'] &&
      project === event['project'] &&
      redacted.every((sighting, at) => sighting === sightings[at])
    if (isSame) return line
    return { ...line, event: { ...event, payload, error_message: error, project }, sightings: redacted }
  }

  const redactOr = (value: unknown): unknown => (typeof value === 'string' ? redactor.text(value) : value)

  function redactContents(line: ArchivedContent, joined: ReadonlyMap<string, string>): ArchivedContent {
    const entries = Object.entries(line.contents)
    const redacted = entries.map(([hash, text]) => [hash, redactValue(joined.get(hash) ?? text, redactor)] as const)
    return redacted.every(([, text], at) => text === entries[at]?.[1])
      ? line
      : { contents: Object.fromEntries(redacted) }
  }

  function* changeOf(archive: ArchiveRow): Generator<void, (line: ArchiveLine) => ArchiveLine, void> {
    const joined = new Map<string, string>()
    for (const line of eventsOf(archive, 'model_request')) {
      if (line === null) yield
      else
        for (const hashes of messagesOf(line.event.payload['request'] as unknown as StoredRequest | null))
          noteJoined(hashes, joined)
    }
    return (line) => {
      if ('contents' in line) return redactContents(line, joined)
      return 'event' in line ? redactEvent(line) : line
    }
  }

  return {
    changeOf,
    *noteCalls() {
      for (const archive of existingArchives(db))
        for (const line of eventsOf(archive, 'tool_call')) {
          if (line === null) yield
          else redactor.json({ id: line.event.payload['call_id'] ?? null, input: line.event.payload['input'] ?? null })
        }
    },
    *examine(archive) {
      const preparing = changeOf(archive)
      let step = preparing.next()
      for (; !step.done; step = preparing.next()) yield false
      const change = step.value
      for (const { start, bytes } of framesOf(db, archive.id))
        for (const text of frameTexts(readBytes(join(folder, archive.path), start, bytes))) {
          const line = JSON.parse(text) as ArchiveLine
          yield change(line) !== line
        }
    },
  }
}

function redactPayload(before: JsonObject, redactor: Redactor): JsonObject {
  const payload = redactor.json(before)
  const headers = payload['headers']
  if (!Array.isArray(headers)) return payload
  const kept = redactor.headers(headers as unknown as RawHeaders)
  return kept.length === headers.length ? payload : { ...payload, headers: kept as unknown as Json }
}

/** Returns the hashes of a request's blocks, message by message: the blocks of one are redacted together. */
export function messagesOf(request: StoredRequest | null | undefined): readonly (readonly string[])[] {
  if (!request || !Array.isArray(request.add)) return []
  return [request.system, ...request.add.map(({ blocks }) => blocks)]
}
