import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { AnyDraft } from '../../src/main/decode/draft.ts'
import { generateHistory } from '../support/demo/generate-history.ts'
import { readerHandlers } from '../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../src/main/store/database/connection.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { createBudget } from '../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../src/main/store/read/reader.ts'
import type { Store } from '../../src/main/store/store.ts'
import { configSchema } from '../../src/shared/config.ts'
import { findOperation } from '../../src/shared/contract/index.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { BUSY_HOURS, busyDay, deepChain, hourOfBusyDay } from './measured-sessions.ts'
import { seededRandom } from './seeded-random.ts'
import { mean, quantiles, timed } from './timed.ts'

/**
 * Measures reads as the log grows: `node tests/bench/reading.ts [--sizes 10000,100000,1000000,5000000] [--samples 100]`. Fills one store
 * as an import does and reads it at each size: elapsed milliseconds (p50, p95) and mean processor time. `growth` is p95 at the
 * largest size relative to the smallest, next to the growth of the log.
 */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: process.env['ASPY_BENCH_SIZES'] ?? '10000,100000,1000000,5000000' },
    samples: { type: 'string', default: '100' },
  },
})
const SIZES = values.sizes
  .split(',')
  .map(Number)
  .toSorted((a, b) => a - b)
const SAMPLES = Number(values.samples)
const LARGEST = SIZES.at(-1) ?? 0
const EVENTS_A_SESSION = 2500
/** A search returns partial results after this time, as in the app. */
const BUDGET_MS = 2000
/** Extra words added to each text, since generated texts repeat the same few. */
const OWN_WORDS = 8
const VOCABULARY = 200_000
/** Random sample of the written texts to search for. */
const KEPT_TEXTS = 400

const random = seededRandom(20_261_122)
const wordOf = (rank: number): string => `w${rank.toString(36)}q`
/** Picks a word by Zipf's law: the first word is twice as frequent as the second, three times as frequent as the third. */
const drawWord = (): string => wordOf(Math.floor(VOCABULARY ** random()))
const said: string[] = []

/** Adds the extra words to a draft with text by a person or a model. */
function worded(draft: AnyDraft): AnyDraft {
  if (draft.kind !== 'user_prompt' && draft.kind !== 'thinking' && draft.kind !== 'assistant_text') return draft
  const words = Array.from({ length: OWN_WORDS }, drawWord).join(' ')
  if (said.length < KEPT_TEXTS) said.push(words)
  else if (random() < 0.01) said[Math.floor(random() * KEPT_TEXTS)] = words
  return { ...draft, payload: { ...draft.payload, text: `${draft.payload.text} ${words}` } } as AnyDraft
}

/** Fills the store up to each size in turn. */
async function* growing(store: Store): AsyncGenerator<number> {
  store.ingest.append(deepChain())
  store.ingest.append(busyDay())
  const sessions = Math.max(20, Math.round(LARGEST / EVENTS_A_SESSION))
  let written = 0
  let at = 0
  for (const turn of generateHistory({ seed: 'reading', sessions, events: LARGEST, days: 365 })) {
    store.ingest.append(turn.map(worded), undefined, { staysOpen: true, isUnseen: true })
    written += turn.length
    // The checkpoint thread reports when the WAL is in the file.
    if (written % 5000 < turn.length) {
      store.ingest.settle()
      do await new Promise<void>((resolve) => setImmediate(resolve))
      while (store.ingest.isBehind())
    }
    if (written < (SIZES[at] ?? Infinity)) continue
    store.ingest.settle()
    store.maintenance.checkpoint()
    at += 1
    yield written
  }
}

interface Figures {
  readonly p50: number
  readonly p95: number
  readonly cpu: number
  /** Mean. */
  readonly items: number
  /** Results cut short by the time limit. */
  readonly partial: number
}

type Ask = (sample: number) => { readonly name: keyof typeof readerHandlers; readonly input: object }

/** The measured reads; each returns the operation and its input for one sample. */
function questions(reader: Reader): Readonly<Record<string, Ask>> {
  const sessions = reader.all<{ id: string }>('SELECT id FROM sessions ORDER BY started_at')
  const session = (sample: number) => sessions[Math.floor((sample / SAMPLES) * sessions.length)]?.id ?? ''
  const deepest = reader.get<{ uuid: string }>(
    "SELECT uuid FROM events WHERE session_id = 'chain' ORDER BY turn_id DESC, seq DESC LIMIT 1",
  )
  const text = (sample: number) => said[sample % said.length] ?? ''
  const words = (sample: number, from: number, to: number) => text(sample).split(' ').slice(from, to).join(' ')
  return {
    'search: three words': (sample) => ({ name: 'recall.search', input: { query: words(sample, 2, 5) } }),
    'search: a common word': (sample) => ({ name: 'recall.search', input: { query: wordOf((sample % 20) + 1) } }),
    'chain of 100': () => ({ name: 'events.chain', input: { uuid: deepest?.uuid ?? '' } }),
    'recent 50': () => ({ name: 'events.recent', input: {} }),
    'an hour of timeline': (sample) => ({
      name: 'sessions.timeline',
      input: {
        session_id: 'busy',
        start: hourOfBusyDay(sample % BUSY_HOURS),
        end: hourOfBusyDay((sample % BUSY_HOURS) + 1),
        limit: 5000,
      },
    }),
    'a day of timeline': () => ({ name: 'sessions.timeline', input: { session_id: 'busy', limit: 5000 } }),
    summary: () => ({ name: 'stats.summary', input: {} }),
    'last 50': (sample) => ({ name: 'sessions.events', input: { session_id: session(sample) } }),
    'page of 200': (sample) => ({ name: 'events.list', input: { session_id: session(sample), limit: 200 } }),
    'list of sessions': () => ({ name: 'sessions.list', input: {} }),
    'carry by tool': () => ({ name: 'carry.list', input: { by: 'tool' } }),
    'carry by tool, 7 days': () => ({ name: 'carry.list', input: { by: 'tool', since: '7d' } }),
    'carry of a session': (sample) => ({ name: 'carry.session', input: { session_id: session(sample) } }),
    resume: (sample) => ({ name: 'sessions.resume', input: { session_id: session(sample) } }),
  }
}

function measure(path: string): Record<string, Figures> {
  const db = openReader(path)
  const budget = createBudget(new Int32Array(1))
  const reader = createReader(db, budget)
  const read = (ask: Ask, sample: number) => {
    const { name, input } = ask(sample)
    // Includes parsing the input, as in dispatch, and serialising the result, as on a reader thread.
    const parsed = findOperation(name)?.input.parse(input)
    const handler = readerHandlers[name] as unknown as (of: Reader, asked: unknown) => { readonly items?: unknown[] }
    budget.begin(1, BUDGET_MS)
    return timed(() => {
      const answer = handler(reader, parsed)
      JSON.stringify(answer)
      return { items: answer.items?.length ?? 1, isPartial: budget.wasCut }
    })
  }
  try {
    return Object.fromEntries(
      Object.entries(questions(reader)).map(([name, ask]) => {
        for (let warm = 0; warm < 5; warm += 1) read(ask, warm)
        const took = Array.from({ length: SAMPLES }, (_, sample) => read(ask, sample))
        const figures = {
          ...quantiles(took.map(({ ms }) => ms)),
          cpu: mean(took.map(({ cpuMs }) => cpuMs)),
          items: mean(took.map(({ result }) => result.items)),
          partial: took.filter(({ result }) => result.isPartial).length,
        }
        return [name, figures]
      }),
    )
  } finally {
    db.close()
  }
}

using folder = makeTempFolder('aspy-bench-reading-')
const store = openStore({
  dataDir: folder.path,
  hashKey: Buffer.alloc(32, 7),
  limits: configSchema.parse({}).lifestats,
})
const begun = performance.now()
const found: { readonly events: number; readonly readings: Record<string, Figures> }[] = []
for await (const events of growing(store)) {
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.error(`${events} events after ${seconds} s`)
  const readings = measure(join(folder.path, 'lifestats.db'))
  found.push({ events, readings })
  for (const [name, { p50, p95, cpu, items, partial }] of Object.entries(readings))
    console.error(
      `  ${name.padEnd(32)} p50 ${p50.toFixed(2).padStart(9)}  p95 ${p95.toFixed(2).padStart(9)}  cpu ${cpu.toFixed(2).padStart(9)} ms` +
        `  ${items} items${partial > 0 ? `, ${partial} partial` : ''}`,
    )
}
store.close()

const [smallest, largest] = [found[0], found.at(-1)]
const growth = Object.fromEntries(
  Object.entries(largest?.readings ?? {}).map(([name, { p95 }]) => [
    name,
    Math.round((p95 / (smallest?.readings[name]?.p95 ?? Number.NaN)) * 10) / 10,
  ]),
)
console.log(
  JSON.stringify({ sizes: found, log_grew: (largest?.events ?? 0) / (smallest?.events ?? 1), growth }, null, 2),
)
