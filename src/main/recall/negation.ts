/** Words after which `NOT` belongs to a sentence in capitals, or to SQL: `IS NOT NULL`, `IF NOT EXISTS`, `DO NOT`. */
const BEFORE =
  /\b(?:IS|ARE|WAS|WERE|IF|DO|DOES|DID|MUST|SHOULD|SHALL|MAY|WILL|CAN|COULD|WOULD|HAS|HAVE|WHERE|ADD|DEFAULT)\s*$/
const AFTER =
  /^NOT\s+(?:NULL|EXISTS|IN|LIKE|ILIKE|BETWEEN|VALID|DISTINCT|MATCHED|FOUND|SUPPORTED|IMPLEMENTED|DEFERRABLE|MATERIALIZED)\b/

/** Checks whether the `NOT` at a position excludes the next word. Pasted SQL and messages in capitals are text. */
export function excludesNext(text: string, at: number): boolean {
  return text.startsWith('NOT', at) && !BEFORE.test(text.slice(0, at)) && !AFTER.test(text.slice(at, at + 80))
}
