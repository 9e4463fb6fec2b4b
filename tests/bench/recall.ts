import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { makeTempFolder } from '../support/temp-folder.ts'
import { type JudgedQuery, judge, loadDocuments, type RecallDocument } from './recall-set/judge.ts'

/**
 * How well recall finds: loads documents through the store's own projections, asks through the operation that answers
 * `recall.search`, and prints the share of queries with a right answer among the first 1, 5 and 10, the mean reciprocal
 * rank and the time a search takes. Any set will do:
 *
 *   node tests/bench/recall.ts --documents FILE.jsonl --queries FILE.jsonl [--misses]
 *
 * documents: {"id","session","time","kind","text"} a line; queries: {"query","expected":[ids],"kind"?} a line.
 */
const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: new URL('recall-set/documents.jsonl', import.meta.url).pathname },
    queries: { type: 'string', default: new URL('recall-set/queries.jsonl', import.meta.url).pathname },
    misses: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

const readLines = <T>(path: string): T[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T)

const documents = readLines<RecallDocument>(values.documents)
const queries = readLines<JudgedQuery>(values.queries)
using folder = makeTempFolder()
const begun = performance.now()
using recall = loadDocuments(folder.path, documents)
const loadedMs = performance.now() - begun
const results = queries.map((query) => judge(recall, query))

interface Figures {
  readonly queries: number
  readonly r1: number
  readonly r5: number
  readonly r10: number
  readonly mrr: number
  readonly p50_ms: number
  readonly p95_ms: number
}

function figuresOf(own: typeof results): Figures {
  const share = (most: number) => own.filter(({ place }) => place !== null && place <= most).length / own.length
  const times = own.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (part: number) => times[Math.min(times.length - 1, Math.ceil(times.length * part) - 1)] ?? 0
  const mrr = own.reduce((sum, { place }) => sum + (place === null ? 0 : 1 / place), 0) / own.length
  return { queries: own.length, r1: share(1), r5: share(5), r10: share(10), mrr, p50_ms: at(0.5), p95_ms: at(0.95) }
}

const groups = Map.groupBy(results, ({ query }) => query.kind ?? 'all')
const table = new Map([...groups].map(([kind, own]) => [kind, figuresOf(own)]))
table.set('overall', figuresOf(results))

if (values.json) console.log(JSON.stringify(Object.fromEntries(table)))
else {
  console.log(`${documents.length} documents in ${Math.round(loadedMs)} ms`)
  console.log('kind              queries    R@1    R@5   R@10    MRR   p50 ms   p95 ms')
  const percent = (part: number) => `${(part * 100).toFixed(1)}%`.padStart(6)
  for (const [kind, row] of table) {
    console.log(
      `${kind.padEnd(18)}${String(row.queries).padStart(7)} ${percent(row.r1)} ${percent(row.r5)} ${percent(row.r10)} ` +
        `${row.mrr.toFixed(3).padStart(6)} ${row.p50_ms.toFixed(1).padStart(8)} ${row.p95_ms.toFixed(1).padStart(8)}`,
    )
  }
}
if (values.misses) {
  for (const { query, place, first } of results) {
    if (place === null || place > 5) console.log(JSON.stringify({ ...query, place, first }))
  }
}
