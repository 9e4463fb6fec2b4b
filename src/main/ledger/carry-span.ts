import {
  addRequest,
  carryOn,
  newAccount,
  NO_SUMS,
  settleAll,
  type CarryAccount,
  type LineBlock,
} from './carry-account.ts'
import type { Rates } from './class-rates.ts'
import type { ClassSplit } from './class-split.ts'

/** A stored request of a line. */
export interface SpanRequest {
  readonly number: number
  readonly kept: number
  readonly split: ClassSplit
  readonly rates: Rates
  /** It is in the span, so its cost counts. */
  readonly isIn: boolean
}

/** A stored block of a line. */
export interface SpanBlock {
  readonly tokens: number
  readonly first: number
}

const FREE = { tokens: 0, usd: 0 }
const NO_RATES: Rates = { read: FREE, written_1h: FREE, written_5m: FREE, uncached: FREE }

/**
 * Returns what each block of a line cost in a span of its requests, which have no gap. `blocks` are all that these requests
 * had, in the order in which they entered.
 */
export function costsInSpan(
  requests: readonly SpanRequest[],
  blocks: readonly SpanBlock[],
): readonly Omit<CarryAccount, 'open_tokens' | 'open_blocks'>[] {
  const accounts = blocks.map(newAccount)
  const asLineBlock = ({ tokens }: SpanBlock, at: number): LineBlock => ({
    tokens,
    accounts: [accounts[at] ?? newAccount()],
  })
  const start = requests[0]?.number ?? 0
  const stack: LineBlock[] = []
  let next = 0
  const enteredBy = (number: number): LineBlock[] => {
    const found: LineBlock[] = []
    for (let block = blocks[next]; block !== undefined && block.first <= number; block = blocks[next]) {
      found.push(asLineBlock(block, next))
      next += 1
    }
    return found
  }
  carryOn(stack, enteredBy(start - 1))
  let sums = NO_SUMS
  for (const { number, kept, split, rates, isIn } of requests) {
    const after = addRequest(stack, sums, { kept, split, rates: isIn ? rates : NO_RATES }, enteredBy(number))
    sums = isIn ? after : sums
  }
  settleAll(stack, sums)
  return accounts
}
