import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { answerOf } from '../../../src/main/readers/thread/answer.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { findOperation } from '../../../src/shared/contract/index.ts'
import { makeTempFolder } from '../runner/temp-folder.ts'
import { fillStore } from './seeded-store.ts'

/** A store with the drafts of a test, and reading operations on it, run as a reader runs them. */
export interface ReadStore extends Disposable {
  call<Answer>(name: keyof typeof readerHandlers, input: object): Answer
}

/** Writes drafts to a store in a temporary folder and opens it for reading. */
export function readStore(drafts: readonly AnyDraft[]): ReadStore {
  const folder = makeTempFolder()
  return openedStore(fillStore(folder.path, drafts), () => folder.remove())
}

/** Opens a database for reading. */
export function openedStore(path: string, remove: () => void): ReadStore {
  const db = openReader(path)
  const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
  const reader = createReader(db, budget)
  let calls = 0
  return {
    call<Answer>(name: keyof typeof readerHandlers, input: object) {
      calls += 1
      budget.begin(calls, 60_000)
      const handler = readerHandlers[name] as Parameters<typeof answerOf>[0]
      return answerOf(handler, reader, findOperation(name)?.input.parse(input)) as Answer
    },
    [Symbol.dispose]() {
      db.close()
      remove()
    },
  }
}
