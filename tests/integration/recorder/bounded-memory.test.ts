import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../../src/main/store/read/reader.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { few, runs } from '../../support/runner/heavy.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'

/** Results of a session that is far larger than what reading it may take. */
const RESULTS = runs(1000, 10_000)
const RESULT_CHARACTERS = 120_000
/** What a reader may add; a thread that needs more is ended by Node. */
const MAX_MB = 100

let folder: TempFolder
let databasePath: string
beforeAll(() => {
  folder = makeTempFolder()
  const drafts = Array.from({ length: RESULTS }, (_, at) =>
    draftOf(
      'tool_result',
      {
        call_id: `c${at}`,
        tool_name: 'Bash',
        output: `line ${at} of the output. `.repeat(RESULT_CHARACTERS / 25),
        is_error: false,
        rejected: false,
      },
      {
        at: new Date(Date.parse('2026-11-20T10:00:00.000Z') + at * 1000).toISOString(),
        uuid: `r${at}`,
        keys: [`result:c${at}`],
      },
    ),
  )
  databasePath = fillStore(folder.path, drafts, 50)
}, 480_000)
afterAll(() => folder.remove())

interface Read {
  readonly items: number
  readonly bytes: number
  readonly buffers: number
}

function readWhole(name: string, input: object): Promise<Read> {
  const worker = new Worker(new URL('../../support/store/reading-worker.ts', import.meta.url), {
    workerData: { databasePath, name, input },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MB, maxYoungGenerationSizeMb: 16 },
  })
  return new Promise((resolve, reject) => {
    worker.once('message', (read: Read) => resolve(read))
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`ended with ${code} and no answer`)))
  })
}

/** An answer that has the results' text is at least this long. */
const WHOLE_TEXT = RESULTS * RESULT_CHARACTERS * 0.9

const READ: readonly (readonly [name: string, input: object, leastBytes: number])[] = [
  ['events.export', { session_id: 's1', limit: 1000 }, WHOLE_TEXT],
  ['events.export', { limit: 1000 }, WHOLE_TEXT],
  ['events.list', { session_id: 's1', limit: 1000 }, WHOLE_TEXT],
  ['events.replay', { session_id: 's1', limit: 1000 }, WHOLE_TEXT],
  ['sessions.events', { session_id: 's1', limit: 1000 }, WHOLE_TEXT],
  // A timeline has a bar for each result, without its text.
  ['sessions.timeline', { session_id: 's1', limit: 5000 }, RESULTS * 20],
]

test.each(few(READ, 3))(
  `%s %j of a session of ${Math.round((RESULTS * RESULT_CHARACTERS) / 1e6)} MB fits into ${MAX_MB} MB`,
  { timeout: runs(480_000, 600_000) },
  async (name, input, leastBytes) => {
    const { items, bytes, buffers } = await readWhole(name, input)
    expect(items).toBe(RESULTS)
    expect(bytes).toBeGreaterThan(leastBytes)
    expect(buffers).toBeLessThan(MAX_MB * 1024 * 1024)
  },
)

test('a long session is resumed from as few rows as a short one', () => {
  using other = makeTempFolder()
  const short = fillStore(other.path, prompts(60))
  using third = makeTempFolder()
  const long = fillStore(third.path, prompts(1500))
  expect(rowsRead(long)).toBe(rowsRead(short))
})

const prompts = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    draftOf(
      'user_prompt',
      { text: `question ${at}` },
      { at: new Date(Date.parse('2026-11-20T10:00:00.000Z') + at * 60_000).toISOString(), keys: [`p:${at}`] },
    ),
  )

/** Rows that the answer to `resume` was made of. */
function rowsRead(path: string): number {
  const db = openReader(path)
  try {
    const inner = createReader(db, createBudget(new Int32Array(1)))
    let rows = 0
    const counted = <Rows extends { readonly length: number }>(found: Rows): Rows => {
      rows += found.length
      return found
    }
    const reader: Reader = {
      ...inner,
      all: <Row>(sql: string, ...values: readonly (string | number | bigint | null)[]) =>
        counted(inner.all<Row>(sql, ...values)),
      inTime: <Row>(sql: string, ...values: readonly (string | number | bigint | null)[]) =>
        counted(inner.inTime<Row>(sql, ...values)),
    }
    const answer = readerHandlers['sessions.resume'](reader, { session_id: 's1', budget: 2000 })
    expect(answer.last_prompt).toMatch(/^question \d+$/)
    return rows
  } finally {
    db.close()
  }
}
