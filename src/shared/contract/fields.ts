import { z } from 'zod'
import { readWholeTime } from '../typed-time.ts'
import { isZone } from '../wall-time.ts'

/**
 * Input fields that several operations share. Each also accepts strings, as in the query of a URL. A field with a
 * description is also an option of the command line, with the description as its help; one with a title is a filter in
 * the window.
 */

/** A bounded count with the default `n`. */
export const bounded = (n: number, max = 500) => z.coerce.number().int().min(1).max(max).default(n)

/** The maximum number of results, with the default `n`. */
export const limit = (n: number, max = 500) => bounded(n, max).describe('Maximum number of results')

/** A boolean in JSON, or true, false, 1, 0, yes, no in a query. */
export const flag = (preset: boolean) => z.union([z.boolean(), z.stringbool()]).default(preset)

/** A switch that narrows a list; left out, it is off. Being optional, a new one changes no caller. */
export const only = () => z.union([z.boolean(), z.stringbool()]).optional()

export const sessionId = z.string().min(1).max(200)
export const uuid = z.string().min(1).max(100)

/** Owner of a row: the user, as the client names it, or the member in a team's history. */
export const userId = z.string().nullable()

/** Times of other years have no four digits, and databases refuse them. The first or the last one is used instead. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** The edge that a field takes of a day, or of a longer stretch of time. */
type Edge = 'from' | 'to'

/**
 * Reads a date, a time, or an age as `moment` takes it, to ISO 8601 UTC with ms; null for other text. Days are those of
 * `zone`, an IANA name, else of the local time zone.
 */
function readMoment(text: string, edge: Edge, zone?: string): string | null {
  const time = readWholeTime(text, Date.now(), zone)?.[edge]
  if (time === undefined || !Number.isFinite(time)) return null
  return new Date(Math.min(Math.max(time, FIRST_MS), LAST_MS)).toISOString()
}

const timeField = (edge: Edge) =>
  z
    .string()
    .max(40)
    .transform((text, context) => {
      const read = readMoment(text, edge)
      if (read !== null) return read
      const message = 'not a time: give a date (2026-11-21, 4 March, yesterday), an ISO time or an age (24h, 7d)'
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })

/**
 * A date (`2026-11-21`, `4 March`, `last Tuesday`: from its first moment), a time, or an age (`90m`, `24h`, `7d`), parsed
 * to ISO 8601 UTC with ms. What has no offset is of the zone `tz` of the input, else of the machine.
 */
export const moment = timeField('from')
/** The same as the end of a stretch, which includes all of a date: the first moment after it. */
export const lastMoment = timeField('to')

/** Time zone of the dates in an input. */
export const tz = z
  .string()
  .max(100)
  .refine(isZone, 'not a time zone; use a name such as Europe/Berlin')
  .optional()
  .describe('Time zone of dates, such as Europe/Berlin; default: the one of this machine')

const EDGES = new Map<unknown, Edge>([
  [moment, 'from'],
  [lastMoment, 'to'],
])

/** Returns an input whose times without an offset are read in its zone `tz`. */
export function timesInZone(schema: z.ZodType, input: unknown): unknown {
  if (!(schema instanceof z.ZodObject) || typeof input !== 'object' || input === null) return input
  const { tz: asked, time_zone: older } = input as { readonly tz?: unknown; readonly time_zone?: unknown }
  const zone = asked ?? older
  if (typeof zone !== 'string' || !isZone(zone)) return input
  const fields = Object.entries(input).map(([name, value]) => {
    const field: unknown = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined
    const edge = EDGES.get(field instanceof z.ZodOptional ? field.unwrap() : field)
    return [name, edge === undefined || typeof value !== 'string' ? value : (readMoment(value, edge, zone) ?? value)]
  })
  return Object.fromEntries(fields) as unknown
}

/** Opaque position of a page, from `next` of the previous page. */
export const cursor = z.string().max(500).describe('Go on after a page: its next')

/** The shape of every list. */
export const list = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    next: z.string().nullable(),
    /** The time budget ran out: there may be more. */
    partial: z.boolean().optional(),
  })

/** Name of a client, such as `claude-code`. */
export const client = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Only sessions of this client, such as claude-code or agent-sdk')

/** A tag that a person set on a session. Blanks around it are removed. */
export const tag = z.string().trim().min(1).max(60)

/** Only events of this session. */
export const ofSession = sessionId.optional().describe('Only this session')
export const project = z
  .string()
  .max(4096)
  // As over MCP.
  .transform((named) => (named.trim().toLowerCase() === 'all' ? undefined : named))
  .optional()
  .describe('Only this working directory, by its path or folder name; all: no limit')
export const since = moment.optional().describe('Start: a date, a time or an age such as 7d')
export const until = lastMoment.optional().describe('End, included if it is a date; a time or an age such as 7d')

/** Limits an answer in time and place. */
export const scope = { session_id: ofSession, project, since, until, tz }
