import { errorMessage } from '../../shared/error-text.ts'

/** A text as a JSON object, or why it is not one. */
export type JsonObjectText =
  | { readonly value: Record<string, unknown>; readonly problem: null }
  | { readonly value: undefined; readonly problem: string }

/** Parses text that must be a JSON object. An empty text is an empty object. */
export function parseJsonObject(text: string): JsonObjectText {
  if (text.trim() === '') return { value: {}, problem: null }
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return { value: body as Record<string, unknown>, problem: null }
    return { value: undefined, problem: 'the body must be a JSON object' }
  } catch (error) {
    const cause = errorMessage(error)
    return { value: undefined, problem: `the body is not valid JSON: ${cause}` }
  }
}
