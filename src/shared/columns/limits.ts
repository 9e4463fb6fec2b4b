import { tableOf } from './column.ts'

interface LimitUse {
  readonly title: string
  readonly used: number
  readonly cost_usd: number | null
}

/** Sessions or prompts that used most of an account's limit. */
export const limitUsesTable = tableOf<LimitUse>()({
  columns: {
    title: { name: 'Used by', fit: 'cut' },
    used: { name: 'Of the limit', format: 'share' },
    cost_usd: { name: 'Cost', format: 'money', tone: 'soft' },
  },
})
