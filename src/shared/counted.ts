/** Formats a count with its noun: `1 request`, `2 requests`, `1,200 tool results`. */
export const counted = (n: number, noun: string): string => `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`
