import { join } from 'node:path'
import type { Json, JsonObject, StoredRequest } from '../../../shared/event.ts'
import type { RawHeaders } from '../../proxy/protocol/tap-protocol.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { WritableDb } from '../database/connection.ts'
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

/** Redacts archived data as it would have been redacted when it was recorded. */
export interface ArchiveRedaction {
  /** Returns the archives after `after` that are not done, in order. */
  remaining(after: number): readonly ArchiveRow[]
  /** Shows the redactor every archived call, since what a result may show depends on its call. Each step reads a frame. */
  noteCalls(): Generator<void, void, void>
  /** Rewrites an archive and returns the number of changed lines. Each step writes a frame. */
  redact(archive: ArchiveRow): Generator<void, number, void>
}

export function createArchiveRedaction(db: WritableDb, folder: string, redactor: Redactor): ArchiveRedaction {
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
    const payload = redactPayload(event.payload)
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

  function redactPayload(before: JsonObject): JsonObject {
    const payload = redactor.json(before)
    const headers = payload['headers']
    if (!Array.isArray(headers)) return payload
    const kept = redactor.headers(headers as unknown as RawHeaders)
    return kept.length === headers.length ? payload : { ...payload, headers: kept as unknown as Json }
  }

  const redactOr = (value: unknown): unknown => (typeof value === 'string' ? redactor.text(value) : value)

  function redactContents(line: ArchivedContent, joined: ReadonlyMap<string, string>): ArchivedContent {
    const entries = Object.entries(line.contents)
    const redacted = entries.map(([hash, text]) => [hash, redactValue(joined.get(hash) ?? text, redactor)] as const)
    return redacted.every(([, text], at) => text === entries[at]?.[1])
      ? line
      : { contents: Object.fromEntries(redacted) }
  }

  return {
    remaining: (after) =>
      existingArchives(db)
        .filter(({ id }) => id > after)
        .toSorted((a, b) => a.id - b.id),
    *noteCalls() {
      for (const archive of existingArchives(db))
        for (const line of eventsOf(archive, 'tool_call')) {
          if (line === null) yield
          else redactor.json({ id: line.event.payload['call_id'] ?? null, input: line.event.payload['input'] ?? null })
        }
    },
    *redact(archive) {
      const joined = new Map<string, string>()
      for (const line of eventsOf(archive, 'model_request')) {
        if (line === null) yield
        else
          for (const hashes of messagesOf(line.event.payload['request'] as unknown as StoredRequest | null))
            noteJoined(hashes, joined)
      }
      const change = (line: ArchiveLine): ArchiveLine => {
        if ('contents' in line) return redactContents(line, joined)
        return 'event' in line ? redactEvent(line) : line
      }
      return yield* rewriteArchive({ db, folder, change }, archive)
    },
  }
}

function messagesOf(request: StoredRequest | null | undefined): readonly (readonly string[])[] {
  if (!request || !Array.isArray(request.add)) return []
  return [request.system, ...request.add.map(({ blocks }) => blocks)]
}
