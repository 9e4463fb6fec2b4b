import type { Redactor } from '../../redaction/redactor.ts'

/** Redacts a stored text; JSON is parsed first, so that its escapes stay valid. */
export function redactValue(text: string, redactor: Redactor): string {
  if (text.startsWith('{') || text.startsWith('[')) {
    try {
      const value = JSON.parse(text) as unknown
      const redacted = redactor.json(value)
      return redacted === value ? text : JSON.stringify(redacted)
    } catch {
      // It looked like JSON but is not.
    }
  }
  return redactor.text(text)
}
