import { parentPort, workerData } from 'node:worker_threads'
import { AspyError, toErrorAnswer } from '../../../shared/contract/errors.ts'
import { readerHandlers } from '../../operations/reader/reader-handlers.ts'
import { loadHashKey } from '../../base/hash-key.ts'
import { createKeyedHash } from '../../base/keyed-hash.ts'
import { createSpareMemory } from '../../base/spare-memory.ts'
import { askMounts } from '../../files/dead-mounts.ts'
import { asStoreError } from '../../store/database/store-error.ts'
import { damageOf, type Damage } from '../../store/database/damage.ts'
import { createPricing, withOwnPrices } from '../../store/pricing/pricing.ts'
import { createBudget } from '../../store/read/budget.ts'
import type { Reader } from '../../store/read/reader.ts'
import { createDatabaseFile } from '../../store/read/database-file.ts'
import { answerOf } from './answer.ts'
import { withWholeNames } from '../../operations/reader/whole-names.ts'
import {
  END_OF_READING,
  READER_READY,
  type ReaderCall,
  type ReaderReply,
  type ReaderStart,
} from '../reader-protocol.ts'

const start = workerData as ReaderStart
const budget = createBudget(new Int32Array(start.cancelled))
/** Loaded when a check needs it: there is none before something is recorded. */
let keyedHash: ((text: string) => string) | null = null
const { dataDir } = start
const hash =
  dataDir === undefined ? null : (text: string) => (keyedHash ??= createKeyedHash(loadHashKey(dataDir)))(text)
const file = createDatabaseFile(
  start.databasePath,
  budget,
  createPricing(withOwnPrices(start.prices)),
  hash,
  start.accounts,
)
const encoder = new TextEncoder()
// Dispatch has parsed the input with the operation's schema. Here the types are erased.
const handlers = readerHandlers as unknown as { readonly [name: string]: (reader: Reader, input: unknown) => unknown }

/** A rebuild swaps its tables one after another, so a retried call can fail on the next table. */
const MAX_TRIES = 10

/** Idle time before memory is returned to the system. */
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

function run(readerCall: ReaderCall, tries = 1): ReaderReply {
  const { call, name, input, budgetMs } = readerCall
  try {
    const handler = handlers[name]
    if (handler === undefined) throw new AspyError('internal', `no reader handler runs ${name}`)
    budget.begin(call, budgetMs, tries === 1)
    const reader = file.reader()
    const answer = answerOf(handler, reader, withWholeNames(reader, name, input))
    return { call, bytes: encoder.encode(JSON.stringify(answer)), next: nextOf(answer) }
  } catch (error) {
    const known = asStoreError(error)
    const damage = damageOf(known)
    // The file may just have been replaced, or one of its indexes.
    const isFirst = damage !== null && tries === 1
    if (!(known instanceof AspyError) || known.code === 'store_unavailable') file.reopen(isFirst ? undefined : known)
    if (isFirst || (tries < MAX_TRIES && isOfSwap(error))) return run(readerCall, tries + 1)
    return { call, error: toErrorAnswer(damage === null ? known : damaged(damage)) }
  }
}

function damaged({ isText, reason }: Damage): AspyError {
  const what = isText ? 'the search index is damaged' : 'the database is damaged'
  const advice = 'Aspy repairs it while it runs: try again in a moment'
  return new AspyError('store_unavailable', `${what} (${reason}); ${advice}`)
}

function nextOf(answer: unknown): string | null {
  const { next } = (answer ?? {}) as { readonly next?: unknown }
  return typeof next === 'string' ? next : null
}

/**
 * Returns whether the error comes from a rebuild that just replaced a full-text index or dropped one of its old tables.
 * A retry opens the new index.
 */
function isOfSwap(error: unknown): boolean {
  return error instanceof Error && /^(vtable constructor failed|no such table: rebuild_)/.test(error.message)
}

parentPort?.on('message', async (message: ReaderCall | typeof END_OF_READING) => {
  if (message === END_OF_READING) {
    file.close()
    process.exit(0)
  }
  if (message.name.startsWith('files.')) await askMounts()
  const reply = run(message)
  parentPort?.postMessage(reply, 'bytes' in reply ? [reply.bytes.buffer] : [])
  restLater()
})
parentPort?.postMessage(READER_READY)
restLater()
