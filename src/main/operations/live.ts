import type { AnyEvent } from '../../shared/event.ts'
import { toEvent } from '../store/read/events.ts'
import { rowsSince } from '../store/read/live.ts'
import { runningTurns } from '../store/read/running-turns.ts'
import { summarize } from '../store/summary.ts'
import { given } from './given.ts'
import type { ReaderHandler } from './handlers.ts'

export const liveSince: ReaderHandler<'live.since'> = (reader, input) => {
  const { rows, more } = rowsSince(reader, given(input))
  // A stored event: the answer's loose payload is the payload of its kind.
  return { events: rows.map((row) => summarize(toEvent(reader, row) as unknown as AnyEvent, reader.pricing)), more }
}

export const liveTurns: ReaderHandler<'live.turns'> = (reader, input) => runningTurns(reader, given(input), Date.now())
