import type { AnyEvent } from '../../../shared/event.ts'
import type { ReadableDb } from '../database/connection.ts'
import { isInline, isShownIn, shownField } from '../log/payload.ts'

/**
 * Checks whether an event's row in the log holds the text that a view shows. Older events of the same length may not,
 * so all but short texts are looked up. Keeps the last answer: two projections need it for the same event in a row.
 */
export function createInRow(prepare: ReadableDb['prepare']): (event: AnyEvent) => boolean {
  const stored = prepare<[number], string>('SELECT payload FROM events WHERE id = ?').pluck()
  let last: { readonly payload: object; readonly answer: boolean } | null = null
  const answer = ({ id, kind, payload }: AnyEvent): boolean => {
    if (isInline(payload)) return true
    const shown = shownField(kind)
    const json = shown === null ? undefined : stored.get(id)
    return shown !== null && json !== undefined && isShownIn(json, shown)
  }
  return (event) => {
    if (last?.payload !== event.payload) last = { payload: event.payload, answer: answer(event) }
    return last.answer
  }
}
