import Database from 'better-sqlite3'
import { parseArgs } from 'node:util'
import { setPriority } from 'node:os'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readerHandlers } from '../../src/main/operations/reader/reader-handlers.ts'
import { partsOf } from '../../src/main/base/words.ts'
import { openReader } from '../../src/main/store/database/connection.ts'
import { createBudget } from '../../src/main/store/read/budget.ts'
import { createReader } from '../../src/main/store/read/reader.ts'
import { recallSearch } from '../../src/shared/contract/recall.ts'
import { fillStore } from '../support/store/seeded-store.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { seededRandom } from './seeded-random.ts'

/**
 * Measures search in a log of several years: a million texts of 500 characters (`--texts N` for fewer), with realistic word frequencies
 * and neighbours indexed as in the app. Filling takes minutes and about 4 GB in the temporary folder. `--folder FOLDER` keeps the
 * database there and reuses it.
 */
const { values } = parseArgs({
  options: {
    texts: { type: 'string', default: '1000000' },
    queries: { type: 'string', default: '60' },
    folder: { type: 'string' },
  },
})
setPriority(10)
const TEXTS = Number(values.texts)
const QUERIES = Number(values.queries)
const TURNS_A_SESSION = 40
const DIGEST_CHARACTERS = 400
const random = seededRandom(20_261_122)

/** Words by frequency (Zipf): a few thousand common ones and a long tail, including identifiers. */
const VOCABULARY = 150_000
const words = makeWords(VOCABULARY)
const COMMON = words.slice(0, 60)
const MIDDLING = words.slice(300, 3000)
const RARE = words.slice(20_000)

function makeWords(count: number): string[] {
  const onsets = 'b c d f g h j k l m n p r s t v w br cl dr fl gr pl pr sh st th tr'.split(' ')
  const vowels = 'a e i o u ai ea ou'.split(' ')
  const ends = ['', 'n', 'r', 's', 't', 'l', 'nd', 'ck', 'sh', 'ing', 'ed', 'er', 'ion']
  const made = new Set<string>()
  const part = () => (pick(onsets) ?? '') + (pick(vowels) ?? '')
  while (made.size < count) {
    const parts = 1 + Math.floor(random() * (made.size < 500 ? 2 : 3))
    const word = Array.from({ length: parts }, part).join('') + (pick(ends) ?? '')
    if (word.length > 2)
      made.add(made.size % 12 === 11 ? `${word}${(pick(onsets) ?? '').toUpperCase()}${pick(vowels) ?? ''}x` : word)
  }
  return [...made]
}

function pick<T>(items: readonly T[]): T | undefined {
  return items[Math.floor(random() * items.length)]
}

/** Draws the rank of a word by Zipf's law. */
const drawWord = (): string => words[Math.floor(VOCABULARY ** random()) - 1] ?? ''

function makeText(): string {
  let text = ''
  const length = 200 + random() * 600
  while (text.length < length) text += (text === '' ? '' : random() < 0.08 ? '. ' : ' ') + drawWord()
  return text
}

const KINDS = ['user_prompt', 'thinking', 'assistant_response'] as const
const EVENT_KINDS = ['user_prompt', 'thinking', 'assistant_text'] as const

function fill(path: string): void {
  const db = new Database(path)
  db.pragma('synchronous = OFF')
  const session = db.prepare("INSERT INTO sessions (id, started_at, last_event_at, source) VALUES (?, ?, ?, 'hook')")
  const doc = db.prepare(
    `INSERT INTO recall_docs (id, session_id, turn_id, agent_id, match_type, timestamp, project, digest)
     VALUES (?, ?, ?, NULL, ?, ?, '/work/app', ?)`,
  )
  const index = db.prepare('INSERT INTO recall_fts (rowid, text, parts, near) VALUES (?, ?, ?, ?)')
  const prompt = db.prepare(
    `INSERT INTO user_prompts (id, event_uuid, session_id, turn_id, prompt_number, content, timestamp, created_at, created_at_epoch)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
  )
  const event = db.prepare(
    `INSERT INTO events (id, uuid, session_id, turn_id, seq, kind, source, ts_wall, project, schema_version, payload)
     VALUES (?, ?, ?, ?, ?, ?, 'hook', ?, '/work/app', 1, '{}')`,
  )
  const others = ['thinking_rows', 'response_rows'].map((table) =>
    db.prepare(`INSERT INTO ${table} (event_id, content) VALUES (?, ?)`),
  )
  const perSession = TURNS_A_SESSION * KINDS.length
  let clock = Date.parse('2023-11-22T00:00:00Z')
  const step = (3 * 365 * 86_400_000) / TEXTS
  for (let first = 1; first <= TEXTS; first += perSession) {
    db.transaction(() => {
      const id = `s${first}`
      const texts = Array.from({ length: Math.min(perSession, TEXTS - first + 1) }, makeText)
      const digests = texts.map((text) => text.slice(0, DIGEST_CHARACTERS))
      session.run(id, new Date(clock).toISOString(), new Date(clock + step * perSession).toISOString())
      for (const [at, text] of texts.entries()) {
        clock += step
        const [row, turn, kind] = [first + at, Math.floor(at / KINDS.length) + 1, at % KINDS.length]
        const [uuid, time] = [`e${row}`, new Date(clock).toISOString()]
        event.run(row, uuid, id, turn, kind, EVENT_KINDS[kind], time)
        doc.run(row, id, turn, KINDS[kind] ?? 'thinking', time, digests[at] ?? '')
        if (kind === 0) prompt.run(row, uuid, id, turn, turn, text, time, time)
        else others[kind - 1]?.run(row, text)
        const near = [...digests.slice(Math.max(0, at - 2), at), ...digests.slice(at + 1, at + 3)].join('\n')
        index.run(row, text, partsOf(text), near)
      }
    })()
  }
  db.close()
}

using folder = makeTempFolder('aspy-bench-')
const path = join(values.folder ?? folder.path, 'lifestats.db')
const isThere = existsSync(path)
const begun = performance.now()
if (!isThere) fill(fillStore(values.folder ?? folder.path, []))
const filledMs = performance.now() - begun

const db = openReader(path)
const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
const reader = createReader(db, budget)
const some = (from: readonly string[], count: number) => Array.from({ length: count }, () => pick(from) ?? '').join(' ')
const anyText = (): string => {
  for (;;) {
    const row = reader.get<{ content: string }>(
      'SELECT content FROM assistant_responses WHERE id >= ? ORDER BY id LIMIT 1',
      1 + Math.floor(random() * TEXTS * 0.99),
    )
    if (row !== undefined) return row.content
  }
}

/** Kinds of queries, from the easiest to the hardest. */
const ASKED: { readonly [kind: string]: () => { query: string; [option: string]: unknown } } = {
  'one rare word': () => ({ query: some(RARE, 1) }),
  'three rare words': () => ({ query: some(RARE, 3) }),
  'five middling words': () => ({ query: some(MIDDLING, 5) }),
  'five common words': () => ({ query: some(COMMON, 5) }),
  'one common word': () => ({ query: some(COMMON, 1) }),
  'common, middling and rare': () => ({ query: `${some(COMMON, 3)} ${some(MIDDLING, 3)} ${some(RARE, 2)}` }),
  'a question': () => ({ query: `why did we ${some(COMMON, 1)} the ${some(MIDDLING, 2)} of ${some(RARE, 1)}?` }),
  'five words of a text': () => ({ query: anyText().split(/[ .]+/).slice(10, 15).join(' ') }),
  'a phrase in quotes': () => ({ query: `"${anyText().split(/[ .]+/).slice(20, 24).join(' ')}"` }),
  'a word being typed': () => ({ query: some(MIDDLING, 1).slice(0, 4), prefix: true }),
  'by time, in a project': () => ({
    query: some(MIDDLING, 2),
    order: 'time',
    project: '/work/app',
    since: '2025-01-01',
  }),
}

const times: { kind: string; ms: number; cpuMs: number; partial: boolean; found: number }[] = []
function ask(kind: string): void {
  const input = recallSearch.input.parse(ASKED[kind]?.())
  const begun = performance.now()
  const cpu = process.threadCpuUsage()
  budget.begin(1, 2000)
  const { items, partial } = readerHandlers['recall.search'](reader, input)
  const { user, system } = process.threadCpuUsage(cpu)
  const ms = performance.now() - begun
  times.push({ kind, ms, cpuMs: (user + system) / 1000, partial: partial === true, found: items.length })
}

for (const kind of Object.keys(ASKED)) for (let warm = 0; warm < 5; warm += 1) ask(kind)
times.length = 0
for (let round = 0; round < QUERIES; round += 1) for (const kind of Object.keys(ASKED)) ask(kind)

const bytes = reader.get<{ n: number }>(
  'SELECT (SELECT sum(length(content)) FROM user_prompts) + (SELECT sum(length(content)) FROM thinking_blocks) + (SELECT sum(length(content)) FROM assistant_responses) AS n',
)
console.log(
  `${TEXTS} texts, ${Math.round((bytes?.n ?? 0) / 1e6)} MB of text, database ${Math.round(statSync(path).size / 1e6)} MB, ${isThere ? 'as it was' : `filled in ${Math.round(filledMs / 1000)} s`}`,
)
console.log('kind                           queries   p50 ms   p95 ms   max ms  p95 CPU ms  partial  no hit')
const ordered = (values: readonly number[]) => values.toSorted((a, b) => a - b)
const row = (name: string, own: typeof times) => {
  const wall = ordered(own.map(({ ms }) => ms))
  const cpu = ordered(own.map(({ cpuMs }) => cpuMs))
  const at = (part: number, sorted: readonly number[]) =>
    (sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0).toFixed(1).padStart(8)
  const share = (is: (time: (typeof times)[number]) => boolean) => String(own.filter(is).length)
  console.log(
    `${name.padEnd(30)}${String(own.length).padStart(8)} ${at(0.5, wall)} ${at(0.95, wall)} ${at(1, wall)}    ${at(0.95, cpu)} ` +
      `${share(({ partial }) => partial).padStart(8)} ${share(({ found }) => found === 0).padStart(7)}`,
  )
}
for (const [kind, own] of Map.groupBy(times, ({ kind }) => kind)) row(kind, own)
row('overall', times)
db.close()
