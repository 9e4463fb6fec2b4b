import { chmodSync, close, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyEvent } from '../../shared/event.ts'

/** Open files at once; sessions beyond that are opened again when they go on. */
const MAX_HANDLES = 16

/** Session logs: `logs/session-<id>.jsonl`, a line an event, for people with jq and grep. */
export interface SessionLog {
  /** Appends committed events. Never throws: lines that could not be written are counted. */
  write(events: readonly AnyEvent[]): void
  /** Takes a session's file away. */
  remove(sessionId: string): void
  /** Closes a log that is held open; it is opened anew when its session goes on. */
  release(name: string): void
  /** Lines that could not be written. */
  failed(): number
  close(): void
}

/** Opens nothing before the first event. Files have mode 0600, the folder 0700. */
export function createSessionLog(dataDir: string): SessionLog {
  const folder = join(dataDir, 'logs')
  // In the order of use: the first is the one that rested longest.
  const handles = new Map<string, number>()
  let failedLines = 0

  function handleOf(name: string): number {
    const known = handles.get(name)
    if (known !== undefined) {
      handles.delete(name)
      handles.set(name, known)
      return known
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, name)
    const handle = openSync(path, 'a', 0o600)
    chmodSync(path, 0o600)
    handles.set(name, handle)
    const eldest = handles.entries().next().value
    if (handles.size > MAX_HANDLES && eldest) release(eldest[0], eldest[1])
    return handle
  }

  function release(name: string, handle: number): void {
    handles.delete(name)
    closeSync(handle)
  }

  function append(name: string, lines: readonly string[]): void {
    try {
      writeWhole(handleOf(name), Buffer.from(lines.join('')))
    } catch {
      // Capture goes on without this file; what it lacks is counted and shown.
      failedLines += lines.length
      forget(name)
    }
  }

  function forget(name: string): void {
    const handle = handles.get(name)
    handles.delete(name)
    // Without waiting for an answer: a handle that cannot be closed is gone all the same.
    if (handle !== undefined) close(handle, () => undefined)
  }

  return {
    write(events) {
      const bySession = Map.groupBy(events, (event) => sessionLogName(event.session_id))
      for (const [name, ofSession] of bySession) append(name, ofSession.map(sessionLogLine))
    },
    remove(sessionId) {
      const name = sessionLogName(sessionId)
      const handle = handles.get(name)
      if (handle !== undefined) release(name, handle)
      rmSync(join(folder, name), { force: true })
    },
    release(name) {
      const handle = handles.get(name)
      if (handle !== undefined) release(name, handle)
    },
    failed: () => failedLines,
    close() {
      for (const [name, handle] of handles) release(name, handle)
    },
  }
}

function writeWhole(handle: number, bytes: Buffer): void {
  let written = 0
  while (written < bytes.length) written += writeSync(handle, bytes, written)
}

/** File name of a session's log. An id is the client's word: whatever could leave the folder or hide is replaced. */
export function sessionLogName(sessionId: string): string {
  const safe = sessionId.replace(/[^A-Za-z0-9_.-]/g, '_').replace(/\.{2,}/g, '_')
  return `session-${safe.slice(0, 150)}.jsonl`
}

/** `tool_call` → `ToolCall`: the older names of these files. */
function typeName(kind: string): string {
  return kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** One event as a line: `type` and `content` first of all, so that `select(.content | contains("…"))` works on any. */
function sessionLogLine(event: AnyEvent): string {
  const line = {
    type: typeName(event.kind),
    timestamp: event.ts_wall,
    session_id: event.session_id,
    turn_id: event.turn_id,
    uuid: event.uuid,
    content: contentOf(event),
    agent_id: event.agent_id,
    parent_uuid: event.parent_uuid,
    source: event.source,
    duration_ms: event.duration_ms,
    success: event.success,
    ...fieldsOf(event),
    ...tagsOf(event),
  }
  return `${JSON.stringify(line)}\n`
}

/** What an event says, as one string; never null, so that jq's `contains` does not fail on it. */
function contentOf(event: AnyEvent): string {
  switch (event.kind) {
    case 'user_prompt':
    case 'thinking':
    case 'assistant_text':
    case 'notification':
      return event.payload.text
    case 'tool_call':
      return text(event.payload.input)
    case 'tool_result':
      return text(event.payload.output)
    case 'compaction':
      return event.payload.summary
    case 'error':
      return event.payload.message
    case 'turn_ended':
    case 'agent_ended':
      return event.payload.last_text ?? ''
    case 'model_request':
      return `${event.payload.method} ${event.payload.path}`
    case 'model_response':
      return event.payload.stop_reason ?? String(event.payload.status)
    default:
      return JSON.stringify(event.payload)
  }
}

/** What a processor of the user's own tagged it with. */
function tagsOf({ payload }: AnyEvent): object {
  return 'tags' in payload && Array.isArray(payload.tags) ? { tags: payload.tags } : {}
}

/** The few fields besides content that people filter on. */
function fieldsOf(event: AnyEvent): object {
  switch (event.kind) {
    case 'tool_call':
      return { tool_name: event.payload.tool_name, call_id: event.payload.call_id }
    case 'tool_result':
      return {
        tool_name: event.payload.tool_name,
        call_id: event.payload.call_id,
        is_error: event.payload.is_error,
        rejected: event.payload.rejected,
      }
    case 'api_usage':
      return { model: event.payload.model, usage: event.payload.usage }
    case 'model_request':
      return { model: event.payload.model, request_kind: event.payload.request_kind }
    case 'model_response':
      return { model: event.payload.model, status: event.payload.status }
    default:
      return {}
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
