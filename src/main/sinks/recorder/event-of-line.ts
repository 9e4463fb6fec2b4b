import { z } from 'zod'
import { EVENT_KINDS, EVENT_SOURCES, type EventKind, type Json, type JsonObject } from '../../../shared/event.ts'
import type { ForeignEvent } from '../../store/transfer/restore-events.ts'
import { typeName } from './log-line.ts'

const KINDS: ReadonlyMap<string, EventKind> = new Map(EVENT_KINDS.map((kind) => [typeName(kind), kind]))

const logLine = z.object({
  type: z.string(),
  timestamp: z.iso.datetime(),
  session_id: z.string().min(1),
  turn_id: z.int().min(0),
  uuid: z.string().min(1),
  content: z.string(),
  agent_id: z.string().nullable(),
  parent_uuid: z.string().nullable(),
  source: z.enum(EVENT_SOURCES),
  duration_ms: z.number().nullable(),
  success: z.boolean().nullable(),
  seq: z.int().min(0),
  error_message: z.string().nullable(),
  request_id: z.string().nullable(),
  user_id: z.string().nullable(),
  project: z.string().nullable(),
  schema_version: z.int(),
  content_of: z.string().optional(),
  content_is: z.literal('json').optional(),
  payload: z.record(z.string(), z.json()).optional(),
  keys: z.array(z.string()),
})

/** Parses a line to restore its event; null if it is not a line of a session log. */
export function eventOfLine(line: unknown): ForeignEvent | null {
  const parsed = logLine.safeParse(line)
  const kind = KINDS.get(parsed.data?.type ?? '')
  if (!parsed.success || kind === undefined) return null
  const { type: _, timestamp, content, content_of, content_is, payload: rest = {}, keys, ...columns } = parsed.data
  const value = content_is === 'json' ? jsonOf(content) : content
  const payload =
    content_of === undefined
      ? rest
      : content_of === 'payload'
        ? (value as JsonObject)
        : { ...rest, [content_of]: value }
  const event = { ...columns, kind, ts_wall: timestamp, ts_monotonic: null, payload }
  const { source, session_id } = columns
  return {
    event: event as unknown as ForeignEvent['event'],
    keys,
    parent_keys: [],
    sightings: [{ source, session_id, seen_at: timestamp, payload: null }],
    contents: {},
  }
}

/** Parses JSON. Redaction may have broken it; then it stays a string. */
function jsonOf(content: string): Json {
  try {
    return JSON.parse(content) as Json
  } catch {
    return content
  }
}
