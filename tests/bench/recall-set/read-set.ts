import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { JudgedQuery, RecallDocument } from './judge.ts'

/** Items read from a set of any origin, and the number of unusable ones by reason. */
export interface ReadSet<Item> {
  readonly items: readonly Item[]
  readonly unusable: ReadonlyMap<string, number>
}

type Fields = { readonly [name: string]: unknown }

/** Queries are cut at the API's limit. */
const MAX_QUERY_CHARACTERS = 2000
/** Step from the previous document to one without a time. */
const NO_TIME = Date.parse('2026-01-01T00:00:00Z')

/** Reads the documents of a file, or of all `.jsonl` and `.json` files of a folder in order of name. */
export async function readDocuments(path: string): Promise<ReadSet<RecallDocument>> {
  const unusable = new Map<string, number>()
  const known = new Map<string, RecallDocument>()
  let clock = NO_TIME
  for (const file of filesOf(path)) {
    let place = 0
    for await (const line of objectsOf(file, unusable)) {
      place += 1
      const id = textOf(first(line, 'id', '_id', 'doc_id', 'uuid')) || `${basename(file)}:${place}`
      const text = saidBy(line, textOf(first(line, 'text', 'content', 'body', 'message')))
      clock = timeOf(first(line, 'time', 'timestamp', 'date', 'created_at', 'ts')) ?? clock + 1000
      const session = textOf(first(line, 'session', 'session_id', 'conversation', 'conversation_id', 'thread'))
      const kind = textOf(first(line, 'kind', 'type', 'role', 'match_type')) || 'unknown'
      if (text.trim() === '') count(unusable, 'documents without text')
      else if (known.has(id)) count(unusable, 'documents with an id that another has')
      else {
        const time = new Date(clock).toISOString()
        known.set(id, { id, session: session || basename(file), time, kind, text })
      }
    }
  }
  return { items: [...known.values()], unusable }
}

/** Reads the judged queries of a file. Queries whose answers are missing from the documents count as not found. */
export async function readQueries(path: string, ids: ReadonlySet<string>): Promise<ReadSet<JudgedQuery>> {
  const unusable = new Map<string, number>()
  const items: JudgedQuery[] = []
  for (const file of filesOf(path)) {
    for await (const line of objectsOf(file, unusable)) {
      const query = textOf(first(line, 'query', 'question', 'q', 'text')).slice(0, MAX_QUERY_CHARACTERS)
      const expected = idsOf(first(line, 'expected', 'relevant', 'relevant_ids', 'ids', 'evidence', 'answers', 'id'))
      const kind = textOf(first(line, 'kind', 'type', 'category'))
      if (query.trim() === '') count(unusable, 'queries without words')
      else if (expected.length === 0) count(unusable, 'queries without an expected id')
      else {
        if (!expected.some((id) => ids.has(id))) count(unusable, 'queries whose expected ids no document has')
        items.push({ query, expected, ...(kind === '' ? {} : { kind }) })
      }
    }
  }
  return { items, unusable }
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(jsonl|ndjson|json)$/i.test(name))
    .toSorted()
    .map((name) => join(path, name))
}

/** Returns the lines of a file, or the items if it is a JSON array. */
async function* objectsOf(file: string, unusable: Map<string, number>): AsyncGenerator<Fields> {
  if (/\.json$/i.test(file)) {
    const whole: unknown = parsed(readFileSync(file, 'utf8'))
    if (Array.isArray(whole)) {
      for (const item of whole as unknown[]) if (isFields(item)) yield item
      return
    }
  }
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const item = parsed(line)
    if (isFields(item)) yield item
    else if (line.replace('\uFEFF', '').trim() !== '') count(unusable, 'lines that are not a JSON object')
  }
}

/** Returns undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function first(fields: Fields, ...names: string[]): unknown {
  return names.map((name) => fields[name]).find((value) => value !== undefined && value !== null)
}

/** Returns a plain text, or the joined texts of content blocks. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  return isFields(value) ? textOf(first(value, 'text', 'content', 'id')) : ''
}

/** Prefixes the speaker unless the text begins with it. */
function saidBy(fields: Fields, text: string): string {
  const speaker = textOf(first(fields, 'speaker', 'author', 'name'))
  return speaker === '' || text === '' || text.startsWith(speaker) ? text : `${speaker}: ${text}`
}

/** Parses ISO 8601, seconds, milliseconds or other date formats to milliseconds since 1970. */
function timeOf(value: unknown): number | null {
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && /^\d{9,13}$/.test(value) ? Number(value) : null
  const time = number === null ? Date.parse(textOf(value)) : number < 1e11 ? number * 1000 : number
  return Number.isFinite(time) && Math.abs(time) < 8e15 ? time : null
}

function idsOf(value: unknown): string[] {
  if (isFields(value) && first(value, 'id', 'text', 'content') === undefined) return Object.keys(value)
  return [...new Set((Array.isArray(value) ? value : [value]).map(textOf).filter((id) => id !== ''))]
}

const count = (counts: Map<string, number>, reason: string) => void counts.set(reason, (counts.get(reason) ?? 0) + 1)
