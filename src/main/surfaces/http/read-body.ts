import type { Context } from 'hono'
import { AspyError } from '../../../shared/contract/errors.ts'

/** Reads a request's body as text. Throws `too_large` as soon as it exceeds `maxBytes`. */
export async function readBody(context: Context, maxBytes: number): Promise<string> {
  const tooLarge = () =>
    new AspyError('too_large', `the body is larger than ${maxBytes} bytes, the most that is accepted`)
  if (Number(context.req.header('content-length') ?? 0) > maxBytes) throw tooLarge()
  const { body } = context.req.raw
  if (body === null) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A body as a JSON object, or why it is none. */
type JsonObjectBody =
  | { readonly value: Record<string, unknown>; readonly problem: null }
  | { readonly value: undefined; readonly problem: string }

/** Reads a body that must be a JSON object. An empty body is an empty object. */
export async function readJsonObject(context: Context, maxBytes: number): Promise<JsonObjectBody> {
  const text = await readBody(context, maxBytes)
  if (text.trim() === '') return { value: {}, problem: null }
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return { value: body as Record<string, unknown>, problem: null }
    return { value: undefined, problem: 'the body must be a JSON object' }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    return { value: undefined, problem: `the body is not valid JSON: ${cause}` }
  }
}
