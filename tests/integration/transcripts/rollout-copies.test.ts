import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/store/folder.ts'
import { importInto } from '../../support/transcripts/import-folder.ts'
import { importedSessions } from '../../support/transcripts/imported-sessions.ts'

/** Threads of one case; the ids tell the cases apart. */
const threadsOf = (number: number) => ({
  original: `019c18a5-1d00-7000-8000-${String(number).padStart(12, '0')}`,
  fork: `019c18ae-44c0-7000-8000-${String(number).padStart(12, '0')}`,
})
const BEGAN = Date.UTC(2026, 1, 1, 10)
const FORKED = BEGAN + 600_000
/** No two cases have a line with the same text and time, as no two threads do. */
const APART_MS = 7

interface Line {
  readonly type: string
  readonly payload: { readonly [name: string]: unknown }
}

const tokens = (input: number, output: number) => ({
  input_tokens: input,
  cached_input_tokens: 0,
  output_tokens: output,
  reasoning_output_tokens: 0,
  total_tokens: input + output,
})
const event = (type: string, more: object = {}): Line => ({ type: 'event_msg', payload: { type, ...more } })
const message = (role: string, text: string): Line => ({
  type: 'response_item',
  payload: { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
})

/** How a version writes a turn. The cumulative total tells one turn from another with the same words. */
interface Shape {
  readonly turn: (prompt: string, answer: string, total: number) => readonly Line[]
}
const count = (total: number) =>
  event('token_count', {
    info: { total_token_usage: tokens(total, 0), last_token_usage: tokens(1000, 0) },
  })
const context = (more: object = {}): Line => ({
  type: 'turn_context',
  payload: { cwd: '/w', model: 'gpt-5.5', ...more },
})
const SHAPES: { readonly [name: string]: Shape } = {
  'no turn ids': {
    turn: (prompt, answer, total) => [
      message('user', prompt),
      event('user_message', { message: prompt }),
      context(),
      event('agent_message', { message: answer }),
      message('assistant', answer),
      count(total),
    ],
  },
  'turn ids that hold no time': {
    turn: (prompt, _, total) => [
      event('task_started', { turn_id: `turn-${total}` }),
      event('user_message', { message: prompt }),
      context({ turn_id: `turn-${total}` }),
      count(total),
      event('task_complete', { turn_id: `turn-${total}` }),
    ],
  },
  'events of no use between': {
    turn: (prompt, answer, total) => [
      event('task_started', { model_context_window: 1000 }),
      message('user', '<environment_context>\n  <cwd>/w</cwd>\n</environment_context>'),
      event('user_message', { message: prompt }),
      event('background_event', { message: 'ready' }),
      message('assistant', answer),
      count(total),
      event('task_complete', {}),
    ],
  },
}

const written = (lines: readonly Line[], at: number, everyMs: number): string =>
  lines
    .map((line, index) => JSON.stringify({ timestamp: new Date(at + index * everyMs).toISOString(), ...line }))
    .map((line) => `${line}\n`)
    .join('')
const meta = (id: string, more: object = {}): Line => ({
  type: 'session_meta',
  payload: { id, cwd: '/w', cli_version: '0.104.0', ...more },
})
const nameOf = (thread: string, at: number) =>
  `rollout-${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}-${thread}.jsonl`

interface Fork {
  readonly shape: Shape
  /** Time between two copied lines. */
  readonly everyMs: number
  /** The fork's own prompts, after five copied turns of eight. */
  readonly own: readonly string[]
  /** Time from the last copied line to the first own one. */
  readonly pauseMs?: number
  readonly isNamed?: boolean
}

/** Writes a thread of eight turns and a fork of it after five; both files, original first. */
function writeFork(folder: string, number: number, { shape, everyMs, own, pauseMs = 60_000, isNamed = true }: Fork) {
  const threads = threadsOf(number)
  const later = number * APART_MS
  const turns = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) =>
      shape.turn(`q${from + at}`, `a${from + at}`, 1000 * (from + at + 1)),
    ).flat()
  const named = isNamed ? { forked_from_id: threads.original } : {}
  const copies = [meta(threads.fork, named), meta(threads.original), ...turns(0, 5)]
  const ownTurns = own.flatMap((prompt, at) => shape.turn(prompt, `own answer ${at}`, 5007 + 1000 * (at + 1)))
  const original = join(folder, nameOf(threads.original, BEGAN))
  const fork = join(folder, nameOf(threads.fork, FORKED))
  writeFileSync(original, written([meta(threads.original), ...turns(0, 8)], BEGAN + later, 2000))
  const ownAt = FORKED + later + copies.length * everyMs + pauseMs
  writeFileSync(fork, written(copies, FORKED + later, everyMs) + written(ownTurns, ownAt, 2000))
  return { original, fork }
}

const ALL = ['q0', 'q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7']
/** A fork without turns of its own makes no session: all that it has belongs to the original. */
const expected = (number: number, own: readonly string[]) => ({
  [`codex-${threadsOf(number).original}`]: { prompts: ALL, tokens: 8000 },
  ...(own.length === 0 ? {} : { [`codex-${threadsOf(number).fork}`]: { prompts: own, tokens: 1000 * own.length } }),
})

const FORKS: { readonly [what: string]: Omit<Fork, 'shape'> } = {
  'copied at once': { everyMs: 0, own: ['own'] },
  'copied slowly': { everyMs: 200, own: ['own', 'again'] },
  'copied over minutes': { everyMs: 3000, own: ['own'] },
  'asked at once after a slow copy': { everyMs: 200, pauseMs: 5, own: ['own'] },
  'begun with the words with which the original went on': { everyMs: 200, own: ['q5', 'q6'] },
  'not named': { everyMs: 200, own: ['own'], isNamed: false },
  'without a turn of its own': { everyMs: 200, own: [] },
}

test('a fork has its own turns only, however its copies are written', async () => {
  const cases = Object.entries(SHAPES).flatMap(([shapeName, shape]) =>
    Object.entries(FORKS).map(([what, fork]) => ({ name: `${shapeName}: ${what}`, fork: { ...fork, shape } })),
  )
  const folder = temporaryFolder()
  for (const [number, { fork }] of cases.entries()) writeFork(folder, number, fork)
  const sessions = importedSessions(await importInto(temporaryFolder(), [folder]))
  const ofCase = (number: number) =>
    Object.fromEntries(
      Object.values(threadsOf(number)).flatMap((thread) => {
        const session = sessions[`codex-${thread}`]
        return session === undefined ? [] : [[`codex-${thread}`, session]]
      }),
    )
  expect(cases.map(({ name }, number) => ({ name, ...ofCase(number) }))).toEqual(
    cases.map(({ name, fork }, number) => ({ name, ...expected(number, fork.own) })),
  )
})

test.each(['the fork first', 'the original compressed'])('a slow copy, with %s', async (what) => {
  const folder = temporaryFolder()
  const fork = { shape: SHAPES['no turn ids'] ?? { turn: () => [] }, everyMs: 200, own: ['own'] }
  const paths = writeFork(folder, 0, fork)
  if (what === 'the original compressed') {
    writeFileSync(`${paths.original}.zst`, zstdCompressSync(readFileSync(paths.original)))
    rmSync(paths.original)
  }
  const order = what === 'the fork first' ? [paths.fork, paths.original] : [folder]
  expect(importedSessions(await importInto(temporaryFolder(), order))).toEqual(expected(0, fork.own))
})

/** A turn of a version with records. */
const recorded = (prompt: string, total: number, id: string): readonly Line[] => [
  event('task_started', { turn_id: id }),
  event('user_message', { message: prompt }),
  context({ turn_id: id }),
  { type: 'token_usage_record', payload: { turn_id: id, response_id: `resp_${id}`, usage: tokens(total, 1) } },
  event('token_count', { info: { total_token_usage: tokens(total, 1), last_token_usage: tokens(total, 1) } }),
]
/** A turn of an older version, whose counts alone say what it used. */
const uncounted = (prompt: string, last: number, total: number, id?: string): readonly Line[] => [
  event('task_started', id === undefined ? {} : { turn_id: id }),
  event('user_message', { message: prompt }),
  context(id === undefined ? {} : { turn_id: id }),
  event('token_count', { info: { total_token_usage: tokens(total, 2), last_token_usage: tokens(last, 2) } }),
  event('token_count', { info: { total_token_usage: tokens(total, 2), last_token_usage: tokens(last, 2) } }),
]

const MIXED = {
  'the older one last': { turns: [recorded('new', 100, 'a'), uncounted('old', 30, 130, 'b')], sum: 133 },
  'the older one first': { turns: [uncounted('old', 30, 30, 'b'), recorded('new', 100, 'a')], sum: 133 },
  'the older one without turn ids': { turns: [recorded('new', 100, 'a'), uncounted('old', 30, 130)], sum: 133 },
  'one and the other in turn': {
    turns: [
      recorded('new', 100, 'a'),
      uncounted('old', 30, 130),
      recorded('new 2', 50, 'c'),
      uncounted('old 2', 20, 200, 'd'),
    ],
    sum: 206,
  },
}

test('a thread that two versions of the client wrote counts the tokens of both', async () => {
  const cases = Object.entries(MIXED)
  const folder = temporaryFolder()
  for (const [number, [, { turns }]] of cases.entries()) {
    const { original } = threadsOf(number)
    writeFileSync(join(folder, nameOf(original, BEGAN)), written([meta(original), ...turns.flat()], BEGAN, 1000))
  }
  const sessions = importedSessions(await importInto(temporaryFolder(), [folder]))
  expect(cases.map(([what], number) => [what, sessions[`codex-${threadsOf(number).original}`]?.tokens])).toEqual(
    cases.map(([what, { sum }]) => [what, sum]),
  )
})
