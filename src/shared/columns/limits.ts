import { tableOf } from './column.ts'

/** What used a limit. */
export interface LimitUse {
  readonly title: string
  readonly used: number
  /** Null: not known. */
  readonly cost_usd: number | null
}

const TITLE = { name: 'Used by', fit: 'cut' } as const
const COST = { name: 'Cost', format: 'money', tone: 'soft' } as const

/** Sessions or prompts that used most of an account's limit. */
export const limitUsesTable = tableOf<LimitUse>()({
  columns: { title: TITLE, used: { name: 'Of the limit', format: 'share' }, cost_usd: COST },
})

/** The same, where the estimated shares say less than the cost. */
export const limitCostsTable = tableOf<LimitUse>()({ columns: { title: TITLE, cost_usd: COST } })
