import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadHashKey } from '../../src/main/base/hash-key.ts'
import type { AnyDraft } from '../../src/main/decode/draft.ts'
import { readerHandlers } from '../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../src/main/store/database/connection.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { createBudget } from '../../src/main/store/read/budget.ts'
import { createReader } from '../../src/main/store/read/reader.ts'
import { configSchema } from '../../src/shared/config.ts'
import { findOperation } from '../../src/shared/contract/index.ts'
import { generateHistory } from '../support/demo/generate-history.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { draftOf } from '../support/store/seeded-store.ts'
import { quantiles, timed } from './timed.ts'

/**
 * Measures who wrote the lines of a file: `node tests/bench/files.ts [--events 1000000] [--samples 20] [--data DIR]`. With
 * `--data`, the store is made there, and kept; one that has so many events is used again. The file has 2,000 lines and 400 edits by 40 sessions in a folder of the generated history.
 */
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    samples: { type: 'string', default: '20' },
    data: { type: 'string' },
  },
})
const DAY_MS = 86_400_000
const LINES = Array.from({ length: 2000 }, (_, at) => `const line${at} = first(${at})`)

function* editsOf(folder: string): Generator<AnyDraft[]> {
  const path = join(folder, 'src', 'measured.ts')
  for (let session = 0; session < 40; session += 1) {
    const begin = Date.now() - (40 - session) * DAY_MS
    const called = (index: number, tool: string, input: object): AnyDraft[] => {
      const call_id = `m${session}-${index}`
      const more = { session_id: `measured-${session}`, project: folder }
      const at = (second: number) => new Date(begin + index * 10_000 + second * 1000).toISOString()
      return [
        draftOf('user_prompt', { text: `prompt ${call_id}` }, { at: at(0), keys: [`p:${call_id}`], ...more }),
        draftOf(
          'tool_call',
          { call_id, tool_name: tool, message_id: `m:${call_id}`, index: 0, input: input as never },
          { at: at(1), keys: [`call:${call_id}`], ...more },
        ),
        draftOf(
          'tool_result',
          { call_id, tool_name: tool, output: 'done', is_error: false, rejected: false },
          { at: at(2), parents: [`call:${call_id}`], ...more },
        ),
      ]
    }
    const first = session === 0 ? called(0, 'Write', { file_path: path, content: LINES.join('\n') }) : []
    const edits = Array.from({ length: 10 }, (_, at) => {
      const line = LINES[session * 10 + at] ?? ''
      return called(at + 1, 'Edit', { file_path: path, old_string: line, new_string: `${line} // ${session}` })
    })
    yield [...first, ...edits.flat()]
  }
}

const folder =
  values.data === undefined ? makeTempFolder('aspy-bench-') : { path: values.data, remove: () => undefined }
mkdirSync(folder.path, { recursive: true })
const limits = configSchema.parse({}).lifestats
const store = openStore({ dataDir: folder.path, hashKey: loadHashKey(folder.path), limits })
const events = Number(values.events)
const shape = { seed: 'files', sessions: Math.max(10, Math.round(events / 500)), events, days: 120, until: Date.now() }
const db = openReader(join(folder.path, 'lifestats.db'))
const countOf = (): number => Number(db.prepare('SELECT count(*) FROM events').pluck().get())
const isKept = countOf() >= events
if (!isKept) for (const drafts of generateHistory(shape)) store.ingest.append(drafts)
store.maintenance.checkpoint()
const project = db
  .prepare<[], string>('SELECT project FROM sessions WHERE project IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC')
  .pluck()
  .get()
if (!isKept) for (const drafts of editsOf(project ?? '/measured')) store.ingest.append(drafts)
store.maintenance.checkpoint()
store.close()
const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
const reader = createReader(db, budget)
const count = countOf()
const around = Number(db.prepare('SELECT count(*) FROM sessions WHERE project = ?').pluck().get(project))
const input = findOperation('files.blame')?.input.parse({ path: `${project}/src/measured.ts` })
const begun = process.cpuUsage()
const times = Array.from({ length: Number(values.samples) }, (_, at) => {
  budget.begin(at + 1, 60_000)
  const { ms, result } = timed(() => readerHandlers['files.blame'](reader, input as never))
  const known = result.items.filter(({ origin }) => origin === 'proven').length
  if (known !== 2000) throw new Error(`${known} of 2000 lines are known`)
  return ms
})
const { user, system } = process.cpuUsage(begun)
const { p50, p95 } = quantiles(times)
console.log(
  `${count} events, ${around} sessions in the folder: files.blame of 2,000 lines ${p50} ms (p50), ${p95} ms (p95), ${Math.round((user + system) / times.length / 1000)} ms of processor time`,
)
db.close()
folder.remove()
