export const EXCHANGE_PARTS = ['messages', 'answer', 'system', 'tools', 'headers', 'parameters', 'changes'] as const
export type ExchangePart = (typeof EXCHANGE_PARTS)[number]

/** Search parameters of an exchange: the part to show. */
export interface ExchangeSearch {
  readonly part?: Exclude<ExchangePart, 'messages'> | undefined
}

export function exchangeSearch(fields: Record<string, unknown>): ExchangeSearch {
  const part = EXCHANGE_PARTS.find((name) => name === fields['part'])
  return { part: part === 'messages' ? undefined : part }
}
