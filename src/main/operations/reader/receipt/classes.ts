import { RECEIPT_CLASSES, type ReceiptClass } from '../../../../shared/contract/receipt.ts'
import type { Pricing } from '../../../store/pricing/pricing.ts'
import type { PaidCall } from '../../../store/read/receipt.ts'
import { pricedUsage } from './sums.ts'

const writes1h = (call: PaidCall): number => Math.min(call.cache_write_1h_tokens, call.cache_write_tokens)

/** The tokens, or searches, of a call in each class of a receipt. */
export const UNITS: Readonly<Record<ReceiptClass, (call: PaidCall) => number>> = {
  input: (call) => call.input_tokens,
  cache_read: (call) => call.cache_read_tokens,
  cache_write_5m: (call) => call.cache_write_tokens - writes1h(call),
  cache_write_1h: writes1h,
  output: (call) => call.output_tokens,
  web_search: (call) => call.web_search_requests,
}

/** Returns the cost of a call in each class, scaled to the recorded cost if prices have changed since; null without a price. */
export function costByClass(pricing: Pricing, call: PaidCall): Readonly<Record<ReceiptClass, number>> | null {
  if (call.cost_usd === null) return null
  const parts = pricing.parts(call.model, pricedUsage(call), call.timestamp)
  if (parts === null) return null
  const sum = RECEIPT_CLASSES.reduce((total, name) => total + parts[name], 0)
  const scale = sum > 0 ? call.cost_usd / sum : 1
  return Object.fromEntries(RECEIPT_CLASSES.map((name) => [name, parts[name] * scale])) as Record<ReceiptClass, number>
}
