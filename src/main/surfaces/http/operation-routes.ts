import type { Context, Hono } from 'hono'
import type { BlankEnv } from 'hono/types'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { Operation, RawBody } from '../../../shared/contract/operation.ts'
import { parseInput, refuseBody } from '../../dispatch/parse-input.ts'
import type { Dispatch } from '../../dispatch/dispatch.ts'
import { readBytes, readJsonObject } from './read-body.ts'
import type { Grant } from '../../dispatch/grant.ts'
import { sseResponse } from './sse.ts'

interface RouteOptions {
  readonly operations: readonly Operation[]
  readonly dispatch: Dispatch
  /** Throws if the caller has no access. */
  readonly admit: (context: Context, operation: Operation) => Grant
  /** Ends all open streams when aborted. */
  readonly closing: AbortSignal
  readonly heartbeatMs: number
  readonly maxBodyBytes: number
  /** Called if the body of an operation with a `rawBody` is too large, so that its data is counted as lost. */
  onRefusedBody(operation: Operation): void
}

/** Routes every operation: `POST /api/<name>`, and its promised address. */
export function addOperationRoutes(app: Hono<BlankEnv>, options: RouteOptions): void {
  const { operations } = options
  for (const { operation, http } of promisedAddresses(operations))
    app.on(http.method, http.path, (context) => run(context, operation, options))
  const byName = new Map(operations.map((operation) => [operation.name, operation]))
  app.post('/api/:operation', (context, next) => {
    const operation = byName.get(context.req.param('operation'))
    if (operation === undefined) return next()
    return run(context, operation, options)
  })
}

/** Returns the promised addresses: fixed ones before those with parameters. */
const promisedAddresses = (operations: readonly Operation[]) =>
  operations
    .flatMap((operation) => (operation.http === undefined ? [] : [{ operation, http: operation.http }]))
    .toSorted((one, other) => Number(one.http.path.includes(':')) - Number(other.http.path.includes(':')))

async function run(context: Context, operation: Operation, options: RouteOptions): Promise<Response> {
  const { access } = options.admit(context, operation)
  const { rawBody } = operation
  const input =
    rawBody === undefined
      ? { ...queryOf(context), ...(await bodyOf(context, operation, options)), ...partsOf(context, operation) }
      : await bytesOf(context, operation, rawBody, options)
  if (operation.answer === 'value') {
    const json = await options.dispatch.call(operation.name, input, { access, signal: context.req.raw.signal })
    // A caller that accepts only JSON, like the window, gets the document in its field.
    const isJsonOnly = context.req.header('accept') === 'application/json'
    const document = isJsonOnly ? null : documentOf(operation, input as Record<string, unknown>, json)
    if (document !== null) return document
    return new Response(json as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    })
  }
  const resumed = withLastEventId(context, operation, input as Record<string, unknown>)
  // The headers of a stream are sent before its first batch, so bad input is refused here.
  parseInput(operation, resumed)
  const abort = new AbortController()
  options.closing.addEventListener('abort', () => abort.abort(), { once: true, signal: abort.signal })
  const batches = options.dispatch.stream(operation.name, resumed, { access }, abort.signal)
  return sseResponse(batches, { abort, heartbeatMs: options.heartbeatMs })
}

/** Returns the answer as a document if the caller asked for a format other than JSON; null otherwise. */
function documentOf({ documents }: Operation, input: Record<string, unknown>, json: Uint8Array): Response | null {
  const type = documents?.types[String(input[documents.field])]
  if (type === undefined) return null
  const { document } = JSON.parse(Buffer.from(json).toString('utf8')) as { readonly document?: string }
  return new Response(document ?? '', {
    headers: {
      'content-type': type,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // A page of recorded text: it may have its own styles but nothing else.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    },
  })
}

/** Resumes after the position that a reconnecting browser sends in this header. */
function withLastEventId(context: Context, { resumes }: Operation, input: Record<string, unknown>) {
  const last = context.req.header('last-event-id') ?? ''
  return last !== '' && resumes !== undefined ? { ...input, [resumes.field]: last } : input
}

function queryOf(context: Context): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [name, values] of Object.entries(context.req.queries()))
    fields[name] = values.length === 1 ? values[0] : values
  return fields
}

function partsOf(context: Context, operation: Operation): Record<string, string> {
  const parts: Record<string, string> = {}
  for (const match of operation.http?.path.matchAll(/:(\w+)/g) ?? []) {
    const name = match[1] ?? ''
    const value = context.req.param(name)
    if (value !== undefined) parts[name] = value
  }
  return parts
}

async function bodyOf(context: Context, operation: Operation, { maxBodyBytes }: RouteOptions) {
  if (context.req.method !== 'POST') return undefined
  const { value, problem } = await readJsonObject(context, maxBodyBytes)
  if (problem !== null) throw refuseBody(operation, problem)
  return value
}

async function bytesOf(
  context: Context,
  operation: Operation,
  rawBody: RawBody,
  { maxBodyBytes, onRefusedBody }: RouteOptions,
): Promise<Uint8Array> {
  try {
    return await readBytes(context, Math.min(maxBodyBytes, rawBody.maxBytes))
  } catch (error) {
    if (error instanceof AspyError && error.code === 'too_large') onRefusedBody(operation)
    throw error
  }
}
