import { z } from 'zod'
import { readWholeTime } from '../typed-time.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time-units.ts'

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

/**
 * A date (`2026-11-21`: from midnight UTC), a time with zone, an age (`90m`, `24h`, `7d`), or a date as people write it (`4 March`,
 * `last Tuesday`: from local midnight, as in a search). Parsed to ISO 8601 UTC with ms.
 */
export const moment = z
  .string()
  .max(40)
  .transform((text, context) => {
    const age = /^(\d{1,6})([mhdw])$/.exec(text)
    const unit = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS }
    const time = age
      ? Date.now() - Number(age[1]) * unit[age[2] as keyof typeof unit]
      : /^\d{4}-\d{2}-\d{2}(?:$|T)/.test(text)
        ? Date.parse(text)
        : (readWholeTime(text, Date.now())?.from ?? Number.NaN)
    if (!Number.isFinite(time)) {
      context.addIssue({
        code: 'custom',
        message: 'not a time: give a date (2026-11-21, 4 March, yesterday), an ISO time or an age (24h, 7d)',
      })
      return z.NEVER
    }
    return new Date(Math.min(Math.max(time, FIRST_MS), LAST_MS)).toISOString()
  })

/** Opaque position of a page, from `next` of the previous page. */
export const cursor = z.string().max(500)

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
  .optional()
  .describe('Only this working directory, by its path or folder name')
export const since = moment.optional().describe('Start: a date, a time or an age such as 7d')
export const until = moment.optional().describe('End: a date, a time or an age such as 7d')

/** Limits an answer in time and place. */
export const scope = { session_id: ofSession, project, since, until }
