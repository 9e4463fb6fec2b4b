import type { AnyEvent } from '../../../shared/event.ts'
import { eventsOf } from '../../store/read/events.ts'
import { rowsSince } from '../../store/read/live.ts'
import { runningTurns } from '../../store/read/running-turns.ts'
import { summarize } from '../../store/projections/summary.ts'
import { given } from './given.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

export const liveSince: ReaderHandler<'live.since'> = (reader, input) => {
  const { rows, more } = rowsSince(reader, given(input))
  const toItem = eventsOf(reader, rows)
  // The event comes from the log, so its payload has the shape of its kind.
  return { events: rows.map((row) => summarize(toItem(row) as unknown as AnyEvent, reader.pricing)), more }
}

export const liveTurns: ReaderHandler<'live.turns'> = (reader, input) => runningTurns(reader, given(input), Date.now())
