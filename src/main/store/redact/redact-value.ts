import type { Redactor } from '../../redaction/redactor.ts'

/** A stored text redacted; one that is JSON is read as such, so that escapes in it stay what they are. */
export function redactValue(text: string, redactor: Redactor): string {
  if (text.startsWith('{') || text.startsWith('[')) {
    try {
      const value = JSON.parse(text) as unknown
      const redacted = redactor.json(value)
      return redacted === value ? text : JSON.stringify(redacted)
    } catch {
      // It only looks like JSON.
    }
  }
  return redactor.text(text)
}
