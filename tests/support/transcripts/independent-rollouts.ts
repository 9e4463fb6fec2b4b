import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { fields, parseLines, text, type Fields } from './json-fields.ts'

/** Tokens as the API counts them: the input includes what was cached, the output what was reasoned. */
export interface RolloutTokens {
  readonly input: number
  readonly cached: number
  readonly output: number
}

/** Facts in a session's rollouts, counted without any code of the product. */
export interface RolloutCount {
  readonly session: string
  readonly prompts: readonly string[]
  readonly answers: readonly string[]
  readonly calls: readonly string[]
  readonly results: readonly string[]
  /** Of each response that names itself. */
  readonly responses: ReadonlyMap<string, RolloutTokens>
  readonly total: RolloutTokens
  readonly agents: readonly string[]
  readonly compactions: number
}

const named = (value: unknown): string | null => (text(value) === '' ? null : text(value))

/** Sorts facts that several files of a session report in no fixed order. */
export const inOrder = (counts: readonly RolloutCount[]): RolloutCount[] =>
  counts
    .map((count) => ({
      ...count,
      answers: count.answers.toSorted(),
      calls: count.calls.toSorted(),
      results: count.results.toSorted(),
    }))
    .toSorted((a, b) => (a.session < b.session ? -1 : 1))

interface File {
  readonly thread: string
  readonly session: string
  readonly own: readonly Fields[]
  readonly all: readonly Fields[]
}

/** Counts every session below a folder. */
export function countRollouts(folder: string): RolloutCount[] {
  const files = globSync('**/rollout-*.json{,l,l.zst}', { cwd: folder })
    .toSorted()
    .map((path) => readFile(join(folder, path)))
  const sessions = new Map<string, File[]>()
  for (const file of files) sessions.set(file.session, [...(sessions.get(file.session) ?? []), file])
  return [...sessions].map(([session, of]) => countSession(session, of))
}

function readFile(path: string): File {
  const bytes = readFileSync(path)
  const all = path.endsWith('.json')
    ? partsOfDocument(fields(JSON.parse(bytes.toString('utf8'))))
    : parseLines((path.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes).toString('utf8'))
  const meta = fields(all[0]?.['payload'] ?? all[0])
  const thread = named(meta['id']) ?? basename(path).slice(-42, -6)
  const spawn = fields(fields(fields(meta['source'])['subagent'])['thread_spawn'])
  const session = named(meta['session_id']) ?? named(spawn['parent_thread_id']) ?? thread
  return { thread, session, own: ownLines(all, meta), all }
}

/** The first versions wrote one object. */
const partsOfDocument = ({ session, items }: Fields): Fields[] =>
  [session, ...(Array.isArray(items) ? items : [])].map(fields)

/** A copy ends where the first turn begins that was begun after the thread: UUIDv7 sort by time. */
function ownLines(all: readonly Fields[], meta: Fields): readonly Fields[] {
  if (named(meta['forked_from_id']) === null) return all
  const thread = text(meta['id'])
  const first = all.findIndex(
    ({ type, payload }) =>
      type !== 'session_meta' &&
      (fields(payload)['thread_id'] === thread || text(fields(payload)['turn_id']).slice(0, 13) >= thread.slice(0, 13)),
  )
  return first < 0 ? [] : all.slice(first)
}

function countSession(session: string, files: readonly File[]): RolloutCount {
  const own = files.flatMap((file) => file.own)
  const items = own.flatMap((line) =>
    line['type'] === 'response_item' ? [fields(line['payload'])] : isBare(line) ? [line] : [],
  )
  const main = files.find(({ thread }) => thread === session)
  const typed = (ending: string) =>
    items.filter(({ type }) => String(type).endsWith(ending)).flatMap((item) => named(item['call_id']) ?? [])
  const tokens = files.map(tokensOf)
  return {
    session,
    prompts: main === undefined ? [] : promptsOf(main.own),
    answers: items.filter(({ role }) => role === 'assistant').map(textOf),
    calls: [...typed('function_call'), ...typed('custom_tool_call'), ...typed('local_shell_call')],
    results: typed('_call_output'),
    responses: new Map(files.flatMap(({ own: lines }) => lines.flatMap(responseOf))),
    total: tokens.reduce(
      (sum, { input, cached, output }) => ({
        input: sum.input + input,
        cached: sum.cached + cached,
        output: sum.output + output,
      }),
      { input: 0, cached: 0, output: 0 },
    ),
    agents: files.filter(({ thread }) => thread !== session).map(({ thread }) => thread),
    compactions: own.filter(({ type }) => type === 'compacted').length,
  }
}

const isBare = (line: Fields): boolean => line['payload'] === undefined && typeof line['type'] === 'string'

const textOf = (item: Fields): string =>
  (Array.isArray(item['content']) ? item['content'] : []).map((part) => text(fields(part)['text'])).join('')

/** From the client's own reports of what a person typed; files without reports are read for messages outside tags. */
function promptsOf(lines: readonly Fields[]): string[] {
  const events = lines.filter(({ type }) => type === 'event_msg').map(({ payload }) => fields(payload))
  const typed = events.flatMap((event) => {
    if (event['type'] === 'user_message') return text(event['message'])
    const item = fields(event['item'])
    return item['type'] === 'UserMessage' ? textOf(item) : []
  })
  if (events.length > 0) return typed
  return lines
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .filter((said) => !said.startsWith('<'))
}

/** Records are summed. Without any, the growth of the cumulative totals: a resumed run of older versions counts from 0 again. */
function tokensOf({ own, all }: File): RolloutTokens {
  const records = own.flatMap(responseOf).map(([, tokens]) => tokens)
  const totals = records.length > 0 ? [] : totalsOf(own)
  let before = totalsOf(all.slice(0, all.length - own.length)).at(-1)?.total
  const grown = totals.map(({ total, isFirst }) => {
    const isRepeat = JSON.stringify(total) === JSON.stringify(before)
    const from = isFirst && !isRepeat ? undefined : before
    before = total
    const growth = (name: keyof RolloutTokens) => total[name] - (from?.[name] ?? 0)
    return { input: growth('input'), cached: growth('cached'), output: growth('output') }
  })
  const sum = (name: keyof RolloutTokens) => [...records, ...grown].reduce((total, each) => total + each[name], 0)
  return { input: sum('input'), cached: sum('cached'), output: sum('output') }
}

/** The first total of a run is the usage of its first response. */
function totalsOf(lines: readonly Fields[]): { readonly total: RolloutTokens; readonly isFirst: boolean }[] {
  return lines.flatMap(({ payload }) => {
    const { type, info } = fields(payload)
    if (type !== 'token_count' || info === null) return []
    const { total_token_usage: total, last_token_usage: last } = fields(info)
    const tokens = tokensIn(fields(total))
    return [{ total: tokens, isFirst: JSON.stringify(tokens) === JSON.stringify(tokensIn(fields(last))) }]
  })
}

function tokensIn(usage: Fields): RolloutTokens {
  const of = (name: string) => Number(usage[name] ?? 0)
  return { input: of('input_tokens'), cached: of('cached_input_tokens'), output: of('output_tokens') }
}

function responseOf({ type, payload }: Fields): [string, RolloutTokens][] {
  const record = fields(payload)
  const id = named(record['response_id'])
  if (type !== 'token_usage_record' || id === null) return []
  return [[id, tokensIn(fields(record['usage']))]]
}
