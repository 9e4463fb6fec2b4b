import type { OperationOutput } from '../../shared/contract/index.ts'
import { limitWords } from '../../shared/limit-words.ts'
import { percentOf } from '../../shared/percent.ts'
import { commandFix, type Warning } from './warning.ts'

/** The limits that the API reported, and answers served differently than requested. null: not known. */
export interface ServiceFacts {
  readonly limits: OperationOutput<'limits.latest'> | null
  readonly served: OperationOutput<'served.list'> | null
}

/** Used shares of a limit that are worth a warning. */
const MARKS = [0.95, 0.9, 0.75]
const CHANGES_NAMED = 3

/** Returns warnings about limits that are nearly used up, and about silent changes in how requests are served. */
export function serviceWarnings({ limits, served }: ServiceFacts, now = Date.now()): Warning[] {
  const warnings: Warning[] = []
  for (const { name, account, utilization, resets_at: resets } of limits?.windows ?? []) {
    const mark = MARKS.find((share) => utilization >= share)
    // Without a reset time, the report may be out of date.
    if (mark === undefined || resets === null || Date.parse(resets) <= now) continue
    warnings.push({
      code: [`limit_${name}_${mark * 100}`, ...(account === undefined ? [] : [account])].join('_'),
      message: `${percentOf(utilization)}% of the ${limitWords(name)} limit${account === undefined ? '' : ` of ${account}`} is used; it resets at ${resets.slice(0, 16).replace('T', ' ')} UTC.`,
      fix: commandFix('See which sessions and prompts used it, and the forecast.', 'aspy limits'),
      isSevere: false,
    })
  }
  const changes = served?.changes ?? []
  if (changes.length > 0) {
    // The same change in several sessions is named once.
    const all = [
      ...new Set(
        changes.map((change) => {
          const before = change.asked ?? change.before
          return `${change.dimension.replaceAll('_', ' ')}: ${change.served}${before === null ? '' : ` instead of ${before}`}`
        }),
      ),
    ]
    const named = all.slice(0, CHANGES_NAMED)
    const more = all.length > CHANGES_NAMED ? ` and ${all.length - CHANGES_NAMED} more` : ''
    warnings.push({
      code: 'served_differently',
      message: `Within a day, answers were served differently than requested or than before (${named.join('; ')}${more}).`,
      fix: commandFix('See when each change began, and in which session.', 'aspy served --since 1d'),
      isSevere: false,
    })
  }
  return warnings
}
