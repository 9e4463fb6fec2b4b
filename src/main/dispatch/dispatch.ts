import { AspyError } from '../../shared/contract/errors.ts'
import { findOperation } from '../../shared/contract/index.ts'
import type { Operation } from '../../shared/contract/operation.ts'
import type { CallContext, MainHandlers, RecorderCalls } from './handlers.ts'
import { parseInput, parseRawBody } from './parse-input.ts'
import type { Readers } from './readers.ts'

export type { CallContext } from './handlers.ts'

/** One batch of a stream. */
export interface StreamBatch {
  /** Finished JSON in UTF-8. */
  readonly json: Uint8Array
  /** Position to resume the stream from after this batch; null if there is none. */
  readonly id: number | null
}

/** The only way from a surface into the product. Rejects with AspyErrors. */
export interface Dispatch {
  /** Runs a value operation. Returns finished JSON in UTF-8. */
  call(name: string, input: unknown, context: CallContext): Promise<Uint8Array>
  /** Runs a stream operation. Ends when `signal` aborts. */
  stream(name: string, input: unknown, context: CallContext, signal: AbortSignal): AsyncIterable<StreamBatch>
}

export interface DispatchParts {
  /** null: recording is off (`[lifestats] enabled = false`), so there is no database to read. */
  readonly readers: Readers | null
  readonly recorder: RecorderCalls
  readonly main: MainHandlers
}

type AnyValueHandler = (input: unknown, context: CallContext) => unknown
type AnyStreamHandler = (input: unknown, context: CallContext, signal: AbortSignal) => AsyncIterable<unknown>

const encoder = new TextEncoder()
const encode = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value ?? null))
const batchOf = (value: unknown): StreamBatch => ({ json: encode(value), id: null })

/** Looks operations up, checks access and input, and runs each on its thread. */
export function createDispatch(parts: DispatchParts): Dispatch {
  // The contract ties each name to its types. Behind the one parse below they are erased.
  const handlers: { readonly [name: string]: unknown } = parts.main

  function handlerOf<Handler>(operation: Operation): Handler {
    const handler = handlers[operation.name]
    if (handler === undefined) throw new AspyError('internal', `no handler runs ${operation.name}`)
    return handler as Handler
  }

  return {
    async call(name, input, context) {
      const operation = admit(name, context, 'value')
      const { rawBody } = operation
      const parsed = rawBody === undefined ? parseInput(operation, input) : parseRawBody(operation, input, rawBody)
      context.signal?.throwIfAborted()
      switch (operation.place) {
        case 'reader':
          if (parts.readers === null) throw lifestatsOff()
          return parts.readers.call(operation.name, parsed, readOptions(operation, parsed, context))
        case 'recorder':
          return encode(await parts.recorder.call(operation.name, parsed))
        case 'main':
          return encode(await handlerOf<AnyValueHandler>(operation)(parsed, context))
      }
    },

    async *stream(name, input, context, signal) {
      const operation = admit(name, context, 'stream')
      const parsed = parseInput(operation, input)
      if (signal.aborted) return
      if (operation.place === 'recorder') {
        yield* withProgress(parts.recorder, operation.name, parsed, signal)
        return
      }
      if (operation.place === 'reader') {
        if (parts.readers === null) throw lifestatsOff()
        yield* untilLeft(parts.readers.pages(operation.name, parsed as object, signal), signal)
        return
      }
      for await (const batch of handlerOf<AnyStreamHandler>(operation)(parsed, context, signal)) {
        if (signal.aborted) return
        yield { json: encode(batch), id: operation.resumes?.idOf(batch) ?? null }
      }
    },
  }
}

/** Calls the recorder. Yields the latest progress whenever the reader is ready, and the answer last. */
async function* withProgress(
  recorder: RecorderCalls,
  name: string,
  input: unknown,
  signal: AbortSignal,
): AsyncGenerator<StreamBatch> {
  let newest: { readonly value: unknown } | null = null
  let wake: () => void = () => undefined
  const answer = recorder.call(name, input, (value) => {
    newest = { value }
    wake()
  })
  const left = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  const takeNewest = () => {
    const taken = newest
    newest = null
    return taken
  }
  for (;;) {
    const progressed = new Promise<void>((resolve) => (wake = resolve))
    const done = await Promise.race([answer.then((value) => ({ value })), progressed, left])
    if (signal.aborted) return void answer.catch(() => undefined)
    if (done) return yield batchOf(done.value)
    const progress = takeNewest()
    if (progress !== null) yield batchOf(progress.value)
  }
}

/** Yields pages until the caller leaves. A caller that disconnects mid-page must not see an error. */
async function* untilLeft(pages: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<StreamBatch> {
  try {
    for await (const page of pages) {
      if (signal.aborted) return
      yield { json: page, id: null }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function admit(name: string, context: CallContext, answer: Operation['answer']): Operation {
  const operation = findOperation(name)
  if (operation === undefined)
    throw new AspyError('not_found', `there is no operation ${name}; /api/openapi.json lists them`)
  if (context.access === 'hooks' && !operation.isForHooks)
    throw new AspyError('forbidden', 'this key may only post hooks')
  if (context.access === 'read' && operation.writes)
    throw new AspyError('forbidden', `this key may only read, and ${name} writes`)
  if (operation.answer !== answer) {
    throw new AspyError(
      'bad_input',
      operation.answer === 'stream' ? `${name} answers as a stream: subscribe to it` : `${name} answers once: call it`,
    )
  }
  return operation
}

function readOptions({ name, supersededBy }: Operation, input: unknown, { signal }: CallContext) {
  const caller = supersededBy === undefined ? undefined : (input as Record<string, unknown>)[supersededBy]
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(typeof caller === 'string' ? { supersede: `${name} ${caller}` } : {}),
  }
}

function lifestatsOff(): AspyError {
  return new AspyError(
    'lifestats_off',
    'recording is switched off: set enabled = true under [lifestats] in config.toml and start again',
  )
}
