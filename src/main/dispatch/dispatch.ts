import type { z } from 'zod'
import { AspyError } from '../../shared/contract/errors.ts'
import { findOperation } from '../../shared/contract/index.ts'
import { sayMisspelt } from '../../shared/contract/misspelt-fields.ts'
import type { Operation } from '../../shared/contract/operation.ts'
import type { CallContext, MainHandlers, RecorderCalls } from './handlers.ts'
import type { ReaderPool } from './reader-pool.ts'

export type { CallContext } from './handlers.ts'

/** The one door: surfaces know nothing else of the product. Both reject with AspyErrors. */
export interface Dispatch {
  /** Runs a value operation; the answer is finished JSON in UTF-8. */
  call(name: string, input: unknown, context: CallContext): Promise<Uint8Array>
  /** Runs a stream operation; each item is one batch as finished JSON. Ends when `signal` aborts. */
  stream(name: string, input: unknown, context: CallContext, signal: AbortSignal): AsyncIterable<Uint8Array>
}

export interface DispatchParts {
  /** null: `[lifestats] enabled=false`, there is no database to read. */
  readonly readers: ReaderPool | null
  readonly recorder: RecorderCalls
  readonly main: MainHandlers
}

type AnyValueHandler = (input: unknown, context: CallContext) => unknown
type AnyStreamHandler = (input: unknown, context: CallContext, signal: AbortSignal) => AsyncIterable<unknown>

const encoder = new TextEncoder()
const encode = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value ?? null))

/** Looks operations up, checks access and input, and runs them where they belong. */
export function createDispatch(parts: DispatchParts): Dispatch {
  // The contract ties each name to its types; behind the one parse below they are erased.
  const handlers: { readonly [name: string]: unknown } = parts.main

  function handlerOf<Handler>(operation: Operation): Handler {
    const handler = handlers[operation.name]
    if (handler === undefined) throw new AspyError('internal', `nothing runs ${operation.name} here`)
    return handler as Handler
  }

  return {
    async call(name, input, context) {
      const operation = admit(name, context, 'value')
      const parsed = parseInput(operation, input)
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
        yield encode(batch)
      }
    },
  }
}

/** A call to the recorder that tells how far it is: the newest word each time its reader is ready, last its answer. */
async function* withProgress(
  recorder: RecorderCalls,
  name: string,
  input: unknown,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
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
    const told = new Promise<void>((resolve) => (wake = resolve))
    const done = await Promise.race([answer.then((value) => ({ value })), told, left])
    if (signal.aborted) return void answer.catch(() => undefined)
    if (done) return yield encode(done.value)
    const progress = takeNewest()
    if (progress !== null) yield encode(progress.value)
  }
}

/** Who leaves in the middle of a page wants no word of it. */
async function* untilLeft(pages: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const page of pages) {
      if (signal.aborted) return
      yield page
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function admit(name: string, context: CallContext, answer: Operation['answer']): Operation {
  const operation = findOperation(name)
  if (operation === undefined) {
    throw new AspyError('not_found', `there is no operation ${name}; /api/openapi.json lists them`)
  }
  if (context.access === 'hooks' && operation.name !== 'hooks.post') {
    throw new AspyError('forbidden', 'this key may only post hooks')
  }
  if (context.access === 'read' && operation.writes) {
    throw new AspyError('forbidden', `this key may only read, and ${name} writes`)
  }
  if (operation.answer !== answer) {
    throw new AspyError(
      'bad_input',
      operation.answer === 'stream' ? `${name} answers as a stream: subscribe to it` : `${name} answers once: call it`,
    )
  }
  return operation
}

/** The input as the operation takes it. Throws `bad_input`, which names the field and what would be right. */
export function parseInput(operation: Operation, input: unknown): unknown {
  const misspelt = sayMisspelt(operation.input, input)
  if (misspelt !== null) throw new AspyError('bad_input', `${operation.name}: ${misspelt}`)
  const parsed = operation.input.safeParse(input ?? {})
  if (parsed.success) return parsed.data
  throw new AspyError('bad_input', `${operation.name}: ${parsed.error.issues.map(sayIssue).join('; ')}`)
}

/** An issue as a person reads it: the field, and what would be right. */
function sayIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.map(String).join('.')
  const message = issue.message.charAt(0).toLowerCase() + issue.message.slice(1)
  return field === '' ? message : `${field}: ${message}`
}

function readOptions(
  operation: Operation,
  input: unknown,
  context: CallContext,
): { signal?: AbortSignal; supersede?: string } {
  const { client } = input as { client?: unknown }
  const isSearch = operation.name === 'recall.search' && typeof client === 'string'
  return {
    ...(context.signal === undefined ? {} : { signal: context.signal }),
    // Who types asks anew with each letter: nobody waits for the older answer any more.
    ...(isSearch ? { supersede: `${operation.name} ${client}` } : {}),
  }
}

function lifestatsOff(): AspyError {
  return new AspyError(
    'lifestats_off',
    'recording is switched off: set enabled = true under [lifestats] in config.toml and start again',
  )
}
