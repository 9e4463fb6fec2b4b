import { z } from 'zod'

/** Input fields that several operations share; each accepts the strings that a query of a URL carries. */

/** A count with bounds; `n` is what a caller gets who does not say. */
export const limit = (n: number, max = 500) => z.coerce.number().int().min(1).max(max).default(n)

/** true, false, 1, 0, yes, no: as JSON or as a query writes it. */
export const flag = (preset: boolean) => z.union([z.boolean(), z.stringbool()]).default(preset)

export const sessionId = z.string().min(1).max(200)
export const uuid = z.string().min(1).max(100)

/** A moment: a date (`2026-11-21`), a time with zone, or an age (`90m`, `24h`, `7d`); becomes ISO 8601 UTC with ms. */
export const moment = z
  .string()
  .max(40)
  .transform((text, context) => {
    const age = /^(\d{1,6})([mhdw])$/.exec(text)
    const unit = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
    const time = age
      ? Date.now() - Number(age[1]) * unit[age[2] as keyof typeof unit]
      : /^\d{4}-\d{2}-\d{2}/.test(text)
        ? Date.parse(text)
        : Number.NaN
    if (!Number.isFinite(time)) {
      context.addIssue({
        code: 'custom',
        message: 'not a time: give a date (2026-11-21), an ISO time or an age (24h, 7d)',
      })
      return z.NEVER
    }
    return new Date(time).toISOString()
  })

/** Page marker: opaque, from the `next` of the page before. */
export const cursor = z.string().max(500)

/** The one shape of a list. */
export const list = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    next: z.string().nullable(),
    /** The time budget cut the work: there may be more. */
    partial: z.boolean().optional(),
  })

/** Limits an answer in time and place. */
export const scope = {
  session_id: sessionId.optional(),
  project: z.string().max(4096).optional(),
  since: moment.optional(),
  until: moment.optional(),
}
