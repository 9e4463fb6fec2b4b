import { AspyError } from '../../../shared/contract/errors.ts'
import type { OverCap } from '../../../shared/contract/guard.ts'

/**
 * Returns the limit that a decision leaves; by default, `raise` doubles it. Throws `bad_input` if the limit is not
 * higher.
 */
export function limitAfter({ cap, limit }: OverCap, decision: string, to: number | undefined): number {
  if (to !== undefined && decision !== 'raise')
    throw new AspyError('bad_input', `"to" is the limit of a raised cap; "${decision}" raises none`)
  if (decision !== 'raise') return limit
  if (cap === 'unpriced')
    throw new AspyError(
      'bad_input',
      'the request could not be priced, so no cap can be raised: allow it once, or stop it',
    )
  if (to !== undefined && to <= limit)
    throw new AspyError('bad_input', `"to" must be above the present cap of ${limit}`)
  return to ?? limit * 2
}
