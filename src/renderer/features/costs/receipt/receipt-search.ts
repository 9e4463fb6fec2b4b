import type { OperationInput } from '../../../../shared/contract/index.ts'
import { RECEIPT_CLASSES } from '../../../../shared/contract/receipt.ts'
import { field } from '../../../lib/address.ts'
import { isRange, type Range, rangeStart, viewerZone } from '../../../lib/time-range.ts'

/** Search parameters of the receipt. */
export interface ReceiptSearch {
  readonly range?: Range | undefined
  /** First and last day (`2026-11-01`), in the viewer's zone. They replace the range. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly session?: string | undefined
  /** The row whose calls are listed, such as `model:claude-opus-5-5`. */
  readonly row?: string | undefined
}

export const RECEIPT_PRESET: Range = '30d'

export function receiptSearch(fields: Record<string, unknown>): ReceiptSearch {
  const range = field(fields, 'range')
  return {
    range: isRange(range) && range !== RECEIPT_PRESET ? range : undefined,
    from: day(field(fields, 'from')),
    to: day(field(fields, 'to')),
    session: field(fields, 'session'),
    row: field(fields, 'row'),
  }
}

const day = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined

/** Returns the span of an address. `to` is the last day that counts. */
export function spanOf({ range = RECEIPT_PRESET, from, to, session }: ReceiptSearch, now: number) {
  const hasDays = from !== undefined || to !== undefined
  const start = hasDays ? midnight(from) : rangeStart(range, now, viewerZone())
  const end = midnight(to, 1)
  return {
    session_id: session,
    since: start === null ? undefined : new Date(start).toISOString(),
    until: end === null ? undefined : new Date(end).toISOString(),
    time_zone: viewerZone(),
  }
}

/** Returns the span of an address as fields that are computed when the app is asked. */
export const movingSpan = ({ range, from, to, session }: ReceiptSearch) => ({
  of: [range, from, to, session],
  fields: () => spanOf({ range, from, to, session }, Date.now()),
})

/** Midnight before a day, or `later` days after it. */
function midnight(text: string | undefined, later = 0): number | null {
  if (text === undefined) return null
  const [year = 1970, month = 1, date = 1] = text.split('-').map(Number)
  return new Date(year, month - 1, date + later).getTime()
}

type CallsInput = OperationInput<'receipt.calls'>

/** Names a row of a receipt in the address. */
export const rowName = (section: string, ...parts: readonly (string | null)[]): string =>
  [section, ...parts.map((part) => encodeURIComponent(part ?? 'none'))].join(':')

/** Returns which calls a row sums up; undefined if no such row can exist. */
export function callsOfRow(row: string): CallsInput | undefined {
  const [section, ...encoded] = row.split(':')
  const [first = '', second = '', third = ''] = encoded.map(decoded)
  switch (section) {
    case 'model':
      return { model: first }
    case 'day':
      return day(first) === undefined ? undefined : { day: first }
    case 'session':
      return { session_id: first }
    case 'agent':
      return { session_id: first, agent: second === 'none' ? 'main' : second }
    case 'class': {
      const name = RECEIPT_CLASSES.find((known) => known === first)
      return name === undefined ? undefined : { class: name }
    }
    case 'tier':
      return { service_tier: first, speed: second, inference_geo: third }
    case 'server_tool':
      return first === 'web_search' ? { server_tool: first } : undefined
    default:
      return undefined
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    // A person may have typed it, so a part that is not encoded is used as it is.
    if (error instanceof URIError) return text
    throw error
  }
}
