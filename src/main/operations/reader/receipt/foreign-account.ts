import { z } from 'zod'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { modelNames } from '../../../decode/wire/model-names.ts'
import type { PaidCall } from '../../../store/read/receipt.ts'

/** Sums of a period and a model, as another program counts them. */
export interface AccountRow {
  readonly period: string
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly cost_usd: number
}

/** The facts that decide the period of a call. */
export interface CallPlace {
  /** The day in the receipt's time zone. */
  readonly day: string
  /** The path of its session's project; null if that is not known. */
  readonly project: string | null
}

export interface ForeignAccount {
  readonly rows: readonly AccountRow[]
  /** Returns the period of the account that a call belongs to. */
  periodOf(call: PaidCall, place: CallPlace): string
  /** Returns the name under which both sides count a model. */
  modelOf(model: string): string
}

/** Bounds the rows that are compared. */
const MAX_ROWS = 20_000

const tokens = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER)
const breakdown = z.object({
  modelName: z.string(),
  inputTokens: tokens,
  outputTokens: tokens,
  cacheReadTokens: tokens,
  cacheCreationTokens: tokens,
  cost: tokens,
})
const entry = z.object({ modelBreakdowns: z.array(breakdown) })
const block = z.object({
  startTime: z.iso.datetime(),
  endTime: z.iso.datetime(),
  isGap: z.boolean().default(false),
  tokenCounts: z.object({
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadInputTokens: tokens,
    cacheCreationInputTokens: tokens,
  }),
  costUSD: tokens,
})

const byDay: ForeignAccount['periodOf'] = (_call, { day }) => day
const byMonth: ForeignAccount['periodOf'] = (_call, { day }) => day.slice(0, 7)
const bySession: ForeignAccount['periodOf'] = ({ session_id }) => session_id
const byFolder: ForeignAccount['periodOf'] = (_call, { project }) => folderOf(project)

/** Two readings of a period: version 18 names it `date`, `week`, `month` or `sessionId`, version 20 always `period`. */
const LISTS: readonly {
  readonly list: string
  readonly period: readonly string[]
  /** Returns a function that assigns calls to the periods of the rows. */
  readonly periods: (rows: readonly AccountRow[]) => ForeignAccount['periodOf']
}[] = [
  { list: 'daily', period: ['date', 'period'], periods: () => byDay },
  { list: 'weekly', period: ['week', 'period'], periods: weekly },
  { list: 'monthly', period: ['month', 'period'], periods: () => byMonth },
  { list: 'session', period: ['period', 'sessionId'], periods: () => bySession },
  // Version 18 counts all sessions of a folder together.
  { list: 'sessions', period: ['sessionId'], periods: () => byFolder },
]

/** Separates the folder and the day in the period of a row of `--instances`. */
const IN_FOLDER = ' in '

/**
 * Reads the days by project that `ccusage daily --instances` prints: an object of lists, keyed by the folder in which Claude
 * Code keeps the project's transcripts.
 */
function readProjects(projects: object): ForeignAccount {
  const rows = Object.entries(projects).flatMap(([folder, days]) => {
    if (!Array.isArray(days)) throw unreadable(`projects.${folder}: not a list of days`)
    const named = rowsOf(days, `projects.${folder}`, ['date', 'period'])
    return named.map((row) => ({ ...row, period: `${row.period}${IN_FOLDER}${folder}` }))
  })
  return {
    rows: notTooMany(rows),
    periodOf: (_call, { day, project }) => `${day}${IN_FOLDER}${folderOf(project)}`,
    modelOf: commonModel,
  }
}

/**
 * Reads the JSON that `ccusage daily` (also with `--instances`), `weekly`, `monthly`, `session` or `blocks` prints
 * (versions 18 and 20).
 * @throws AspyError bad_input if it is something else, or has more than 20,000 rows
 */
export function readAccount(json: { readonly [name: string]: unknown }): ForeignAccount {
  if (Array.isArray(json['blocks'])) return readBlocks(json['blocks'])
  const projects = json['projects']
  if (typeof projects === 'object' && projects !== null && !Array.isArray(projects)) return readProjects(projects)
  const known = LISTS.find(({ list }) => Array.isArray(json[list]))
  if (known === undefined)
    throw new AspyError(
      'bad_input',
      'compare: expected the output of ccusage daily --json (or weekly, monthly, session, blocks)',
    )
  const rows = rowsOf(json[known.list] as readonly unknown[], known.list, known.period)
  return { rows: notTooMany(rows), periodOf: known.periods(rows), modelOf: commonModel }
}

/** Returns a row for each period and model of a list. `names` are the fields that may hold the period. */
function rowsOf(entries: readonly unknown[], list: string, names: readonly string[]): readonly AccountRow[] {
  return entries.flatMap((value, at) => {
    const place = `${list}[${at}]`
    const { modelBreakdowns } = parsed(entry, value, place)
    const fields = value as { readonly [name: string]: unknown }
    const period = names.map((name) => fields[name]).find((name) => typeof name === 'string')
    if (typeof period !== 'string') throw unreadable(`${place}: no ${names.join(' or ')}`)
    return modelBreakdowns.map((model): AccountRow => ({
      period,
      model: model.modelName,
      input_tokens: model.inputTokens,
      output_tokens: model.outputTokens,
      cache_read_tokens: model.cacheReadTokens,
      cache_write_tokens: model.cacheCreationTokens,
      cost_usd: model.cost,
    }))
  })
}

const ALL_MODELS = 'all models'

/** Blocks of five hours have no sums by model. */
function readBlocks(values: readonly unknown[]): ForeignAccount {
  const blocks = notTooMany(values)
    .map((value, at) => parsed(block, value, `blocks[${at}]`))
    .filter(({ isGap }) => !isGap)
    .map(({ startTime, endTime, ...rest }) => ({
      ...rest,
      startTime,
      from: Date.parse(startTime),
      until: Date.parse(endTime),
    }))
  return {
    rows: blocks.map(({ startTime, tokenCounts: counts, costUSD: cost }) => ({
      period: startTime,
      model: ALL_MODELS,
      input_tokens: counts.inputTokens,
      output_tokens: counts.outputTokens,
      cache_read_tokens: counts.cacheReadInputTokens,
      cache_write_tokens: counts.cacheCreationInputTokens,
      cost_usd: cost,
    })),
    periodOf: ({ timestamp }) => {
      const at = Date.parse(timestamp)
      return blocks.find(({ from, until }) => from <= at && at < until)?.startTime ?? 'outside of all blocks'
    },
    modelOf: () => ALL_MODELS,
  }
}

/** Version 18 begins weeks on Sunday, version 20 on Monday, unless configured: the rows show it. */
function weekly(rows: readonly AccountRow[]): ForeignAccount['periodOf'] {
  const [first] = rows
  const start = first === undefined ? 1 : new Date(`${first.period}T00:00:00Z`).getUTCDay()
  if (Number.isNaN(start)) throw unreadable(`weekly: ${JSON.stringify(first?.period)} is not a date`)
  return (_call, { day }) => {
    const date = new Date(`${day}T00:00:00Z`)
    date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() - start + 7) % 7))
    return date.toISOString().slice(0, 10)
  }
}

/** The name of the folder in which Claude Code keeps the transcripts of a project. */
const folderOf = (project: string | null): string => (project ?? 'no project').replaceAll(/[^a-zA-Z0-9]/g, '-')

/** The name under which both sides count a model: without its context window and release date. */
const commonModel = (model: string): string => modelNames(model).at(-1) ?? model

function parsed<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const found = schema.safeParse(value)
  if (found.success) return found.data
  const [issue] = found.error.issues
  throw unreadable(`${[place, ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'not readable'}`)
}

function notTooMany<T>(rows: readonly T[]): readonly T[] {
  if (rows.length <= MAX_ROWS) return rows
  throw unreadable(`${rows.length} rows, at most ${MAX_ROWS} can be compared; use --since`)
}

const unreadable = (what: string): AspyError =>
  new AspyError('bad_input', `compare: not the output of ccusage 18 or 20: ${what}`)
