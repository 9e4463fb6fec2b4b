import { parentPort, workerData } from 'node:worker_threads'
import { AspyError, toErrorAnswer } from '../../../shared/contract/errors.ts'
import { readerHandlers } from '../../operations/reader/reader-handlers.ts'
import { createSpareMemory } from '../../base/spare-memory.ts'
import { asStoreError } from '../../store/database/connection.ts'
import { createPricing, withOwnPrices } from '../../store/pricing/pricing.ts'
import { createBudget } from '../../store/read/budget.ts'
import type { Reader } from '../../store/read/reader.ts'
import { createDatabaseFile } from '../../store/read/database-file.ts'
import { answerOf } from './answer.ts'
import { END_OF_READING, READER_READY } from '../reader-protocol.ts'
import type { ReaderCall, ReaderReply, ReaderStart } from '../reader-protocol.ts'

const start = workerData as ReaderStart
const budget = createBudget(new Int32Array(start.cancelled))
const file = createDatabaseFile(start.databasePath, budget, createPricing(withOwnPrices(start.prices)))
const encoder = new TextEncoder()
// Dispatch has parsed the input with the operation's schema; here the types are erased.
const handlers = readerHandlers as unknown as { readonly [name: string]: (reader: Reader, input: unknown) => unknown }

/** Tables go one after the other at the end of a rebuild: a call that met one may meet the next. */
const MOST_TRIES = 10

/** After so long without a call, what calls took is given back. */
const REST_MS = 5000
const spareMemory = createSpareMemory()
let rest: NodeJS.Timeout | null = null

function restLater(): void {
  if (rest !== null) clearTimeout(rest)
  rest = setTimeout(() => {
    file.rest()
    spareMemory.giveBack()
  }, REST_MS)
}

function run(asked: ReaderCall, tries = 1): ReaderReply {
  const { call, name, input, budgetMs } = asked
  try {
    const handler = handlers[name]
    if (handler === undefined) throw new AspyError('internal', `no reader runs ${name}`)
    budget.begin(call, budgetMs)
    const answer = answerOf(handler, file.reader(), input)
    return { call, bytes: encoder.encode(JSON.stringify(answer)), next: nextOf(answer) }
  } catch (error) {
    const known = asStoreError(error)
    if (!(known instanceof AspyError) || known.code === 'store_unavailable') file.reopen()
    if (tries < MOST_TRIES && isOfSwap(error)) return run(asked, tries + 1)
    return { call, error: toErrorAnswer(known) }
  }
}

function nextOf(answer: unknown): string | null {
  const { next } = (answer ?? {}) as { readonly next?: unknown }
  return typeof next === 'string' ? next : null
}

/**
 * A full-text index was opened in the moment a rebuild put another in its place, or took one of its old tables away: opened
 * anew, it is whole.
 */
function isOfSwap(error: unknown): boolean {
  return error instanceof Error && /^(vtable constructor failed|no such table: rebuild_)/.test(error.message)
}

parentPort?.on('message', (message: ReaderCall | typeof END_OF_READING) => {
  if (message === END_OF_READING) {
    file.close()
    process.exit(0)
  }
  const reply = run(message)
  parentPort?.postMessage(reply, 'bytes' in reply ? [reply.bytes.buffer] : [])
  restLater()
})
parentPort?.postMessage(READER_READY)
restLater()
