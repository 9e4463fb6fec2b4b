import { join } from 'node:path'
import type { TestApp } from '../app/start-app.ts'
import { readStore } from '../store/folder.ts'
import type { MessagesUpstream, SeenRequest } from './messages-upstream.ts'

/** A turn, an answer or a call of a tool, as the store and the upstream have it; times in ms since 1970. */
export interface ComparedSpan {
  readonly kind: 'turn' | 'answer' | 'tool'
  readonly name: string
  readonly ours: Span
  readonly theirs: Span
}
interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Compares the times of a store with those of the upstream's own log. Each part of `runs` is the upstream's requests of
 * one run of the client, which is one turn of its session. A call begins when the upstream writes it, and ends when a
 * request brings its result.
 */
export async function comparedTimes(
  app: TestApp,
  runs: readonly MessagesUpstream['requests'][],
): Promise<readonly ComparedSpan[]> {
  const { ends, calls, names } = readStore(join(app.data, 'lifestats.db'), (db) => ({
    ends: new Map(
      db
        .prepare<[], { id: string; end: number; ms: number }>(
          `SELECT substr(k.key, 7) AS id, ${ms('e.ts_wall')} AS end, e.duration_ms AS ms
           FROM events e JOIN event_keys k ON k.uuid = e.uuid AND k.key LIKE 'usage:%' WHERE e.kind = 'api_usage'`,
        )
        .all()
        .map((row) => [row.id, row]),
    ),
    calls: new Map(
      db
        .prepare<[], Span & { id: string }>(
          `SELECT c.call_id AS id, ${ms('c.timestamp')} AS start, ${ms('r.timestamp')} AS end
           FROM tool_calls c JOIN tool_results r ON r.call_id = c.call_id`,
        )
        .all()
        .map((row) => [row.id, row]),
    ),
    names: db
      .prepare<[], { session_id: string; turn: number; asked: number }>(
        `SELECT session_id, turn_id AS turn, coalesce(min(${ms('ts_wall')}) FILTER (WHERE kind = 'model_request'),
           min(${ms('ts_wall')})) AS asked FROM events WHERE turn_id > 0 GROUP BY 1, 2 ORDER BY 3`,
      )
      .all(),
  }))
  const turns = await Promise.all(
    names.map(async (name) => {
      const { session_id, turn } = name
      const { started_at, ended_at } = await app.call<Record<string, string>>('sessions.turn', { session_id, turn })
      // A prompt's hook starts a turn before the upstream can know of it.
      return { start: Math.max(Date.parse(started_at ?? ''), name.asked), end: Date.parse(ended_at ?? '') }
    }),
  )
  return runs.flatMap((all, at): ComparedSpan[] => {
    const requests = all.filter(({ kind }) => kind === 'messages')
    const answers = requests.flatMap((request): ComparedSpan[] => {
      const known = ends.get(request.messageId)
      const ours = known && { start: known.end - known.ms, end: known.end }
      return ours ? [{ kind: 'answer', name: request.messageId, ours, theirs: spanOf(request) }] : []
    })
    const tools = requests.flatMap((request) =>
      [...request.calls].flatMap(([id, start]): ComparedSpan[] => {
        const [ours, end] = [calls.get(id), requests.find((later) => bringsResult(later, id))?.cameAt]
        return ours && end !== undefined ? [{ kind: 'tool', name: id, ours, theirs: { start, end } }] : []
      }),
    )
    const [ours, first, last] = [
      turns[at],
      requests[0],
      requests
        .map(spanOf)
        .toSorted((a, b) => a.end - b.end)
        .at(-1),
    ]
    const turn = ours && first && last && { ours, theirs: { start: first.cameAt, end: last.end } }
    return [...(turn ? [{ kind: 'turn' as const, name: `turn ${at + 1}`, ...turn }] : []), ...answers, ...tools]
  })
}

/** Returns where the store has starts and ends in another order than the upstream, by how many milliseconds. */
export function outOfOrder(spans: readonly ComparedSpan[]): readonly string[] {
  return spans.flatMap((one) => {
    const late = (what: string, before: number, after: number) =>
      before - after > RESOLUTION_MS ? [`${one.kind} ${one.name} ${what}, by ${(before - after).toFixed(1)} ms`] : []
    const pairs = spans.flatMap((other) => {
      const name = `${other.kind} ${other.name}`
      const isBefore = one.theirs.end <= other.theirs.start
      const isAround = one.kind === 'turn' && other.kind !== 'turn' && isInside(other.theirs, one.theirs)
      return [
        ...(isBefore ? late(`ends after the start of ${name}`, one.ours.end, other.ours.start) : []),
        ...(isAround ? late(`starts after ${name}`, one.ours.start, other.ours.start) : []),
        ...(isAround ? late(`ends before ${name}`, other.ours.end, one.ours.end) : []),
      ]
    })
    return [...late('starts after its end', one.ours.start, one.ours.end), ...pairs]
  })
}

/** Returns how far the store's starts and ends are from the upstream's, in ms. */
export const differencesOf = ({ ours, theirs }: ComparedSpan): readonly number[] => [
  Math.abs(ours.start - theirs.start),
  Math.abs(ours.end - theirs.end),
]

/** The store keeps whole milliseconds. */
const RESOLUTION_MS = 1

const isInside = (inner: Span, outer: Span): boolean => outer.start <= inner.start && inner.end <= outer.end
const ms = (column: string): string => `(unixepoch(${column}, 'subsec') * 1000)`
const spanOf = ({ cameAt, endedAt }: SeenRequest): Span => ({ start: cameAt, end: endedAt ?? cameAt })

function bringsResult({ body }: SeenRequest, id: string): boolean {
  return (body?.messages ?? []).some(
    ({ content }) => typeof content !== 'string' && content.some((block) => block['tool_use_id'] === id),
  )
}
