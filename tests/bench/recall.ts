import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { hitsOf, judge, type Judged, loadDocuments } from './recall-set/judge.ts'
import { readDocuments, readQueries, type ReadSet } from './recall-set/read-set.ts'
import { makeTalks } from './recall-talks/talks.ts'
import { readShopSet } from './recall-work/shop-set.ts'
import { readWorkSet } from './recall-work/work-set.ts'

const HELP = `How well recall finds. Documents are recorded and indexed as any event is, queries asked as the API is asked;
prints the share of queries with a right answer among the first 1, 5 and 10 hits, the mean reciprocal rank of the first
right answer (of ten), the share with any text of the right turn, or of the right session, among the first 5 (turn@5, sess@5)
and the time that a search takes, over all and by kind of query.

  node tests/bench/recall.ts [--documents FILE|FOLDER --queries FILE|FOLDER] [--misses] [--sample N] [--json] [--no-tools] [--hits FOLDER]

Without files, runs the project's own set (coding history, tuned on), conversations (tuned on half of the questions) and
sessions about a web shop (half of the questions never looked at); --set own, talks or shop runs one of them. --sample N runs about N queries of each set.
--transcripts FOLDER runs the questions about public coding sessions: FOLDER has a folder OWNER+NAME for each repository
of recall-work/sessions.jsonl, with its .jsonl files anywhere below.
--hits FOLDER writes the best hundred hits of each query there, instead of figures, for scripts/meaning/rerank.py.

Documents: JSONL with one object per line, or a JSON array in a .json file; a folder of such files:
  id       text or number, unique; default FILE:LINE
  session  groups documents whose neighbours count; default the file name
  time     ISO 8601, or seconds or milliseconds since 1970; default one second after the previous line
  kind     user_prompt, thinking, assistant_text, compaction, tool_call, tool_result, or a similar name or role;
           anything else counts as a prompt
  text     the searched text; lines without it are skipped and counted
  speaker  optional: prefixed to the text, as in a transcript
Queries: JSONL or a JSON array:
  query (or question)                   the query as a person would type it
  expected (or relevant, ids, evidence) id or list of ids of the correct answers; finding one is a hit
  kind (or category)                    optional: groups the figures
Unusable input is counted by reason on standard error. Byte order marks and lines of any length are accepted; the store keeps
the first megabyte of a text.`

const { values } = parseArgs({
  options: {
    documents: { type: 'string' },
    queries: { type: 'string' },
    misses: { type: 'boolean', default: false },
    set: { type: 'string' },
    sample: { type: 'string' },
    transcripts: { type: 'string' },
    json: { type: 'boolean', default: false },
    hits: { type: 'string' },
    'no-tools': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
if ((values.documents === undefined) !== (values.queries === undefined)) {
  console.error('give both --documents and --queries, or neither; see --help for their format')
  process.exit(1)
}

interface Figures {
  readonly queries: number
  readonly r1: number
  readonly r5: number
  /** 95 % interval of r5 (Wilson). */
  readonly r5_from: number
  readonly r5_to: number
  /** Share of queries with a text of the right turn among the first five hits. */
  readonly turn5: number
  readonly session5: number
  readonly r10: number
  readonly mrr: number
  readonly p50_ms: number
  readonly p95_ms: number
}

function figuresOf(own: readonly Judged[]): Figures {
  const share = (most: number) => own.filter(({ place }) => place !== null && place <= most).length / own.length
  const times = own.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (part: number) => times[Math.min(times.length - 1, Math.ceil(times.length * part) - 1)] ?? 0
  const mrr = own.reduce((sum, { place }) => sum + (place === null ? 0 : 1 / place), 0) / own.length
  const [r5_from, r5_to] = intervalOf(share(5), own.length)
  return {
    queries: own.length,
    r1: share(1),
    r5: share(5),
    r5_from,
    r5_to,
    turn5: own.filter(({ turnPlace }) => turnPlace !== null && turnPlace <= 5).length / own.length,
    session5: own.filter(({ sessionPlace }) => sessionPlace !== null && sessionPlace <= 5).length / own.length,
    r10: share(10),
    mrr,
    p50_ms: at(0.5),
    p95_ms: at(0.95),
  }
}

/** Returns the 95 % interval of a share of `count` trials, by Wilson's score. */
function intervalOf(share: number, count: number): readonly [from: number, to: number] {
  const z = 1.96
  const middle = share + z ** 2 / (2 * count)
  const reach = z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2))
  const whole = 1 + z ** 2 / count
  return [Math.max(0, (middle - reach) / whole), Math.min(1, (middle + reach) / whole)]
}

type Documents = Parameters<typeof loadDocuments>[1]
type Queries = readonly Parameters<typeof judge>[1][]

function run(name: string, documents: Documents, sets: { readonly [name: string]: Queries }): void {
  using folder = makeTempFolder()
  const begun = performance.now()
  using recall = loadDocuments(folder.path, documents)
  const said = `${documents.length} documents in ${Math.round(performance.now() - begun)} ms`
  for (const [part, queries] of Object.entries(sets)) {
    const title = [name, part].filter((word) => word !== '').join(', ')
    if (values.hits !== undefined) {
      mkdirSync(values.hits, { recursive: true })
      const lines = sampled(queries).map((query) => `${JSON.stringify(hitsOf(recall, query))}\n`)
      writeFileSync(join(values.hits, `${basename(title, '.jsonl').replaceAll(/\W+/g, '-')}.jsonl`), lines.join(''))
      continue
    }
    report(
      title,
      said,
      sampled(queries).map((query) => judge(recall, query, !values['no-tools'])),
    )
  }
}

/** Samples evenly over the whole list. */
function sampled(queries: Queries): Queries {
  const stride = Math.max(1, Math.floor(queries.length / Number(values.sample ?? queries.length)))
  return queries.filter((_, at) => at % stride === 0)
}

function report(title: string, said: string, results: readonly Judged[]): void {
  const groups = Map.groupBy(results, ({ query }) => query.kind ?? 'all')
  const table = new Map([...groups].map(([kind, own]) => [kind, figuresOf(own)]))
  table.set('overall', figuresOf(results))
  if (values.json) console.log(JSON.stringify({ set: title, ...Object.fromEntries(table) }))
  else {
    console.log(`${title}: ${said}`)
    console.log('kind              queries    R@1    R@5   95 % interval turn@5 sess@5   R@10    MRR   p50 ms   p95 ms')
    const percent = (part: number) => `${(part * 100).toFixed(1)}%`.padStart(6)
    for (const [kind, row] of table) {
      console.log(
        `${kind.padEnd(18)}${String(row.queries).padStart(7)} ${percent(row.r1)} ${percent(row.r5)}  ${percent(row.r5_from)} –${percent(row.r5_to)} ${percent(row.turn5)} ${percent(row.session5)} ${percent(row.r10)} ` +
          `${row.mrr.toFixed(3).padStart(6)} ${row.p50_ms.toFixed(1).padStart(8)} ${row.p95_ms.toFixed(1).padStart(8)}`,
      )
    }
  }
  if (!values.misses) return
  for (const { query, place, first } of results) {
    if (place === null || place > 5) console.log(JSON.stringify({ ...query, place, first }))
  }
}

async function fromFiles(name: string, documents: string, queries: string): Promise<void> {
  const read = await readDocuments(documents)
  const asked = await readQueries(queries, new Set(read.items.map(({ id }) => id)))
  for (const { unusable } of [read, asked] satisfies ReadSet<unknown>[]) {
    for (const [reason, times] of unusable) console.error(`${times} ${reason}`)
  }
  if (read.items.length === 0 || asked.items.length === 0) {
    console.error(`${read.items.length} documents, ${asked.items.length} queries: nothing to judge`)
    process.exitCode = 1
    return
  }
  run(name, read.items, { '': asked.items })
}

if (values.documents !== undefined && values.queries !== undefined) {
  await fromFiles(values.queries, values.documents, values.queries)
} else {
  const own = (name: string) => new URL(`recall-set/${name}.jsonl`, import.meta.url).pathname
  const only = values.transcripts !== undefined && values.set === undefined
  if (!only && (values.set ?? 'own') === 'own') await fromFiles('own set', own('documents'), own('queries'))
  if (!only && (values.set ?? 'talks') === 'talks') {
    const { documents, dev, test } = makeTalks()
    run('talks', documents, { 'tuned on': dev, 'not tuned on': test })
  }
  if (!only && (values.set ?? 'shop') === 'shop') {
    const { documents, dev, test } = readShopSet()
    run('shop', documents, { 'tuned on': dev, 'never looked at': test })
  }
}
if (values.transcripts !== undefined) {
  const { documents, dev, more, test, missing } = readWorkSet(values.transcripts)
  if (missing > 0) console.error(`${missing} questions about sessions that ${values.transcripts} does not have`)
  if (documents.length > 0)
    run('coding sessions', documents, { 'tuned on': dev, 'tuned on, written later': more, 'never looked at': test })
}
