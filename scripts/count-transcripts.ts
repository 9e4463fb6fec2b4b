import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, exit } from 'node:process'
import Database from 'better-sqlite3'

// Counts the tokens of Claude Code's transcripts by day and model, without code of the product, and compares them with
// a store into which they were imported:
//   bin/aspy import FOLDER --data STORE && node scripts/count-transcripts.ts FOLDER STORE

type Line = { readonly [name: string]: unknown }
type Sums = Map<string, readonly [input: number, output: number, written: number, read: number]>

/** One answer spreads over lines that repeat its figures; the last ones count, also for its day; a zero replaces no input. */
interface Answer {
  day: string
  model: string
  figures: readonly number[]
}

const FIGURES = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const
const OUTPUT = FIGURES.indexOf('output_tokens')
const objectOf = (value: unknown): Line => (typeof value === 'object' && value !== null ? (value as Line) : {})
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

function parsed(line: string): Line {
  try {
    return objectOf(JSON.parse(line))
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

/** Returns a line of an answer: one of an agent may stand inside of a line about its progress. */
function answerLine(line: Line): Line | null {
  const own = line['type'] === 'progress' ? objectOf(objectOf(line['data'])['message']) : line
  return own['type'] === 'assistant' ? own : null
}

function counted(folder: string): Sums {
  const answers = new Map<string, Answer>()
  for (const path of globSync('**/*.jsonl', { cwd: folder }).toSorted())
    for (const text of readFileSync(join(folder, path), 'utf8').split('\n')) {
      const outer = text.includes('"assistant"') ? parsed(text) : {}
      const line = answerLine(outer)
      const message = objectOf(line?.['message'])
      if (line === null || message['model'] === '<synthetic>' || message['usage'] === undefined) continue
      const key = String(message['id'] ?? line['uuid'])
      const usage = objectOf(message['usage'])
      const figures = FIGURES.map((name) => numberOf(usage[name]))
      const known = answers.get(key)
      const day = String(line['timestamp'] ?? outer['timestamp']).slice(0, 10)
      if (known !== undefined) {
        known.day = day
        known.model = String(message['model'])
        known.figures = figures.map((figure, at) =>
          at === OUTPUT ? Math.max(figure, known.figures[at] ?? 0) : figure || (known.figures[at] ?? 0),
        )
      } else answers.set(key, { day, model: String(message['model']), figures })
    }
  return summed([...answers.values()].map(({ day, model, figures }) => [`${day} ${model}`, figures]))
}

function stored(folder: string): Sums {
  const db = new Database(join(folder, 'lifestats.db'), { readonly: true })
  const rows = db
    .prepare<[], { readonly place: string } & Record<string, number>>(
      `SELECT substr(timestamp, 1, 10) || ' ' || model AS place, input_tokens AS i, output_tokens AS o,
        cache_creation_tokens AS w, cache_read_tokens AS r FROM api_usage`,
    )
    .all()
  db.close()
  return summed(rows.map(({ place, i, o, w, r }) => [place, [i, o, w, r].map(numberOf)]))
}

function summed(rows: readonly (readonly [place: string, figures: readonly number[]])[]): Sums {
  const sums: Sums = new Map()
  for (const [place, figures] of rows) {
    const [i = 0, o = 0, w = 0, r = 0] = (sums.get(place) ?? [0, 0, 0, 0]).map((sum, at) => sum + (figures[at] ?? 0))
    sums.set(place, [i, o, w, r])
  }
  return sums
}

const [folder, store] = argv.slice(2)
if (folder === undefined || store === undefined) {
  console.error('usage: node scripts/count-transcripts.ts FOLDER STORE')
  exit(2)
}
const [here, there] = [counted(folder), stored(store)]
const places = [...new Set([...here.keys(), ...there.keys()])].toSorted()
const different = places.filter((place) => String(here.get(place)) !== String(there.get(place)))
for (const place of different) console.log(`${place}: counted ${here.get(place)}, stored ${there.get(place)}`)
const total = (sums: Sums) => [...sums.values()].flat().reduce((sum, figure) => sum + figure, 0)
console.log(
  `${places.length} days and models, ${different.length} differ; ${total(here)} tokens, stored ${total(there)}`,
)
exit(different.length === 0 ? 0 : 1)
