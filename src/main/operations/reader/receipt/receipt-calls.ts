import { localZone } from '../../../../shared/wall-time.ts'
import type { ReaderHandler } from '../../../dispatch/handlers.ts'
import { paidCalls, placesOfCalls } from '../../../store/read/receipt.ts'
import { requireSession } from '../../../store/read/sessions.ts'
import { given } from '../given.ts'
import { UNITS } from './classes.ts'
import { addCall, dayOfOrRefuse, emptySum } from './sums.ts'
import { DAY_MS } from '../../../../shared/time-units.ts'
import { unpricedOf, withoutPrice } from '../../../../shared/spend.ts'

/** Lists the calls behind a row of a receipt, most expensive first. */
export const receiptCalls: ReaderHandler<'receipt.calls'> = (reader, asked) => {
  const {
    limit,
    tz,
    time_zone = localZone(),
    day,
    class: unit,
    server_tool,
    agent,
    service_tier,
    speed,
    inference_geo,
    ...rest
  } = given(asked)
  const dayOf = dayOfOrRefuse(tz ?? time_zone)
  const span = within(given(rest), day)
  if (span.session_id !== undefined) requireSession(reader, span.session_id)
  const named = given({
    service_tier: nullIfNone(service_tier),
    speed: nullIfNone(speed),
    inference_geo: nullIfNone(inference_geo),
  })
  const calls = paidCalls(reader, {
    ...span,
    ...named,
    ...(agent === undefined ? {} : { agent_id: agent === 'main' ? null : agent }),
  })
  const units = [server_tool, unit].flatMap((name) => (name === undefined ? [] : [UNITS[name]]))
  const found = calls.filter(
    (call) => (day === undefined || dayOf(call.timestamp) === day) && units.every((unitsOf) => unitsOf(call) > 0),
  )
  const total = emptySum()
  for (const call of found) addCall(total, call)
  const shown = found.sort((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0)).slice(0, limit)
  const places = new Map(
    placesOfCalls(
      reader,
      shown.map(({ id }) => id),
    ).map((place) => [place.id, place]),
  )
  return {
    items: shown.flatMap((call) => {
      const place = places.get(call.id)
      if (place === undefined) return []
      return [
        {
          exchange: place.exchange,
          event: place.event,
          session_id: call.session_id,
          title: place.title,
          turn_id: place.turn_id,
          agent_id: call.agent_id,
          ts_wall: call.timestamp,
          model: call.model,
          input_tokens: call.input_tokens,
          output_tokens: call.output_tokens,
          cache_read_tokens: call.cache_read_tokens,
          cache_write_tokens: call.cache_write_tokens,
          web_searches: call.web_search_requests,
          cost_usd: call.cost_usd,
        },
      ]
    }),
    calls: total.calls,
    cost_usd: total.cost_usd,
    ...withoutPrice(unpricedOf(total)),
    partial: calls.isCut === true,
  }
}

/** `none` selects calls for which the API reported no value. */
const nullIfNone = (value: string | undefined): string | null | undefined => (value === 'none' ? null : value)

/** Narrows a span to about a day, in any zone. */
function within<Span extends { readonly since?: string; readonly until?: string }>(span: Span, day?: string): Span {
  if (day === undefined) return span
  const start = Date.parse(day)
  const [from, to] = [new Date(start - DAY_MS).toISOString(), new Date(start + 2 * DAY_MS).toISOString()]
  return {
    ...span,
    since: span.since !== undefined && span.since > from ? span.since : from,
    until: span.until !== undefined && span.until < to ? span.until : to,
  }
}
