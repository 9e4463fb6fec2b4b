import { parentPort, workerData } from 'node:worker_threads'
import type { ReaderName } from '../../../src/main/dispatch/handlers.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { answerOf } from '../../../src/main/readers/thread/answer.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { findOperation } from '../../../src/shared/contract/index.ts'

/** Reads a list from first to last page, as a reader thread does; reports its size and cost. */
const { databasePath, name, input } = workerData as {
  readonly databasePath: string
  readonly name: ReaderName
  readonly input: object
}

const db = openReader(databasePath)
const budget = createBudget(new Int32Array(1))
const reader = createReader(db, budget)
const handler = readerHandlers[name] as unknown as Parameters<typeof answerOf>[0]
const before = process.memoryUsage().arrayBuffers
let [items, bytes, buffers] = [0, 0, 0]
let cursor: string | null = null
do {
  budget.begin(1, 600_000)
  const parsed = findOperation(name)?.input.parse(cursor === null ? input : { ...input, cursor })
  const page = answerOf(handler, reader, parsed) as { readonly items: readonly unknown[]; readonly next: string | null }
  const json = new TextEncoder().encode(JSON.stringify(page))
  items += page.items.length
  bytes += json.length
  buffers = Math.max(buffers, process.memoryUsage().arrayBuffers - before)
  cursor = page.next
} while (cursor !== null)
db.close()
parentPort?.postMessage({ items, bytes, buffers })
