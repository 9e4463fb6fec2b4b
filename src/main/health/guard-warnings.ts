import { counted } from '../../shared/counted.ts'
import type { GuardPassed } from '../../shared/contract/guard.ts'
import { UNPRICED_TEXTS } from '../../shared/guard-reason.ts'
import { settingFix, type Warning } from './warning.ts'

/** Warns of requests that passed every cap, because they could not be priced. */
export function guardWarnings(passed: readonly GuardPassed[]): Warning[] {
  const requests = passed.reduce((sum, one) => sum + one.requests, 0)
  if (requests === 0) return []
  const reasons = passed.map((one) => `${one.requests}: ${UNPRICED_TEXTS[one.reason]}`).join('; ')
  return [
    {
      code: 'guard_passed',
      message: `The guard let ${counted(requests, 'request')} pass its caps without a price (${reasons}).`,
      fix: settingFix(
        'To hold or refuse such requests, turn off fail_open under [guard]. The warning ends with a restart.',
        'guard',
        'fail_open',
      ),
      isSevere: false,
    },
  ]
}
