import type { Rate, Rates } from './class-rates.ts'
import { chargeAt, type Charge, type ClassSplit } from './class-split.ts'

/**
 * The cost of a group of blocks so far. Reads of its open blocks are not included: they follow from the sums of the
 * line.
 */
export interface CarryAccount {
  /** The tokens of blocks that the line still carries, and their number. */
  open_tokens: number
  open_blocks: number
  requests: number
  read_tokens: number
  read_usd: number
  written_tokens: number
  written_usd: number
  uncached_tokens: number
  uncached_usd: number
}

/** A block of a line. */
export interface LineBlock {
  readonly tokens: number
  /** The groups that it belongs to. */
  readonly accounts: readonly CarryAccount[]
}

/** Sums of a line over its requests: for each token that was read in all of them. */
export interface LineSums {
  readonly requests: number
  readonly read_tokens: number
  readonly read_usd: number
}

export const NO_SUMS: LineSums = { requests: 0, read_tokens: 0, read_usd: 0 }

export const newAccount = (): CarryAccount => ({
  open_tokens: 0,
  open_blocks: 0,
  requests: 0,
  read_tokens: 0,
  read_usd: 0,
  written_tokens: 0,
  written_usd: 0,
  uncached_tokens: 0,
  uncached_usd: 0,
})

/** A request of a line: the blocks that it keeps, the ends of its classes, and the cost of a token in each. */
export interface LineRequest {
  readonly kept: number
  readonly split: ClassSplit
  readonly rates: Rates
}

/**
 * Adds a request to the accounts of its line; returns the sums after it. `stack` holds the blocks of the previous
 * request and receives those of this one. Most blocks are read, as in every request, so only the others are touched:
 * those that are dropped, new, or charged again after a miss.
 */
export function addRequest(
  stack: LineBlock[],
  before: LineSums,
  { kept, split, rates }: LineRequest,
  added: readonly LineBlock[],
): LineSums {
  for (const block of stack.splice(kept)) close(block, before)
  const now = {
    requests: before.requests + 1,
    read_tokens: before.read_tokens + rates.read.tokens,
    read_usd: before.read_usd + rates.read.usd,
  }
  const missed = Math.min(split.read, kept)
  for (const [index, { tokens, accounts }] of stack.slice(missed).entries()) {
    const kind = chargeAt(split, missed + index)
    for (const account of accounts) {
      charge(account, kind, tokens, rates[kind])
      account.read_tokens -= tokens * rates.read.tokens
      account.read_usd -= tokens * rates.read.usd
    }
  }
  for (const block of added) {
    const kind = chargeAt(split, stack.length)
    stack.push(block)
    for (const account of block.accounts) {
      charge(account, kind, block.tokens, perToken(rates[kind]))
      account.open_tokens += block.tokens
      account.open_blocks += 1
      account.requests -= before.requests
      account.read_tokens -= block.tokens * now.read_tokens
      account.read_usd -= block.tokens * now.read_usd
    }
  }
  return now
}

/** Puts blocks on the stack that were carried before the first request to be counted. */
export function carryOn(stack: LineBlock[], blocks: readonly LineBlock[]): void {
  for (const block of blocks) {
    stack.push(block)
    for (const account of block.accounts) {
      account.open_tokens += block.tokens
      account.open_blocks += 1
    }
  }
}

/** Ends a block with the request whose sums these are. */
function close({ tokens, accounts }: LineBlock, sums: LineSums): void {
  for (const account of accounts) {
    account.open_tokens -= tokens
    account.open_blocks -= 1
    account.requests += sums.requests
    account.read_tokens += tokens * sums.read_tokens
    account.read_usd += tokens * sums.read_usd
  }
}

function charge(account: CarryAccount, kind: Charge, tokens: number, rate: Rate): void {
  const [charged, usd] = [tokens * rate.tokens, tokens * rate.usd]
  switch (kind) {
    case 'read':
      account.read_tokens += charged
      account.read_usd += usd
      return
    case 'written_1h':
    case 'written_5m':
      account.written_tokens += charged
      account.written_usd += usd
      return
    case 'uncached':
      account.uncached_tokens += charged
      account.uncached_usd += usd
  }
}

/** The tokens of a new block are already those that the API counted. */
const perToken = ({ tokens, usd }: Rate): Rate =>
  tokens > 0 ? { tokens: 1, usd: usd / tokens } : { tokens: 0, usd: 0 }

/** Closes blocks that are still open, with the sums of the line's last request. */
export function settleAll(stack: readonly LineBlock[], sums: LineSums): void {
  for (const block of stack) close(block, sums)
}
