import type { Context } from 'hono'
import { AspyError } from '../../../shared/contract/errors.ts'
import { parseJsonObject, type JsonObjectText } from '../../dispatch/json-object.ts'

/** Copying and checking objects with many fields takes seconds. No operation has that many. */
const MAX_FIELDS = 1000

/** Reads a request's body. Throws `too_large` as soon as it exceeds `maxBytes`. */
export async function readBytes(context: Context, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new AspyError('too_large', `the body is larger than ${maxBytes} bytes, the most that is accepted`)
  if (Number(context.req.header('content-length') ?? 0) > maxBytes) throw tooLarge()
  const { body } = context.req.raw
  if (body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads a request's body as text. Throws like `readBytes`. */
export async function readBody(context: Context, maxBytes: number): Promise<string> {
  return Buffer.from(await readBytes(context, maxBytes)).toString('utf8')
}

/** Reads a body that must be a JSON object. An empty body is an empty object. */
export async function readJsonObject(context: Context, maxBytes: number): Promise<JsonObjectText> {
  const parsed = parseJsonObject(await readBody(context, maxBytes))
  if (parsed.problem !== null || Object.keys(parsed.value).length <= MAX_FIELDS) return parsed
  return { value: undefined, problem: `the body has more than ${MAX_FIELDS} fields` }
}
