import { createRandom, type Random } from '../../../../src/main/base/fixtures/random.ts'
import type { DemoLine } from '../../../../src/main/demo/demo-file.ts'
import { ROUND_MARK } from '../../../../src/main/demo/demo-player.ts'
import { STORIES } from '../stories.ts'
import { TALKS } from '../talks.ts'
import curated from '../texts/sessions.json' with { type: 'json' }
import { tellClaude, type Telling } from './claude-session.ts'
import { tellCodex } from './codex-session.ts'
import type { Script } from './script.ts'
import { storyScript, talkScript } from './talk-script.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const DAYS = 28
/** Every third working day has two sessions. */
const DAYS_FOR_TWO = 3
/** When live sessions begin, in minutes. Each lasts about a quarter of an hour, so that one or two run at a time. */
const LIVE_AT = [0, 0.7, 22, 40]

interface Curated {
  readonly daysAgo: number
  /** Before the hour at which the history ends. */
  readonly minutesBefore: number
  readonly script: Script
}

/** Returns the demo's file before it is compressed. */
export const demoText = (): string =>
  `${demoLines()
    .map((line) => JSON.stringify(line))
    .join('\n')}\n`

/** Returns everything that the demo's file holds: a month of sessions, one of each kind that is worth a look, and a live part. */
function demoLines(seed = 'aspy'): readonly DemoLine[] {
  const random = createRandom(seed)
  const live = liveLines(random.fork('live'))
  const history = sessionsOf(random).flatMap(({ at, script }, index) =>
    tell(script, { at, random: random.fork(`session ${index}`), idMark: '' }),
  )
  const lastsMs = live.reduce(
    (most, line) => (line.kind === 'exchange' ? Math.max(most, line.at + line.tookMs) : most),
    0,
  )
  return [...fieldsFirst([...history, ...live]), ...inOrder(history), { kind: 'live', lastsMs }, ...inOrder(live)]
}

const tell = (script: Script, telling: Telling): readonly DemoLine[] =>
  script.client === 'codex' ? tellCodex(script, telling) : tellClaude(script, telling)

/** One or two sessions on each working day, in the eight hours before the hour at which the demo is opened. */
function sessionsOf(random: Random): readonly { readonly at: number; readonly script: Script }[] {
  const days = [...Array(DAYS).keys()].map((day) => DAYS - day).filter((day) => day % 7 !== 2 && day % 7 !== 3)
  const times = days.flatMap((day, index) =>
    Array.from({ length: index % DAYS_FOR_TWO === 0 ? 2 : 1 }, (_, number) => {
      return -day * DAY_MS - (7.5 - number * 3.5) * HOUR_MS + random.int(0, 2 * HOUR_MS)
    }),
  )
  const stories = STORIES.map((story) => storyScript(random.fork(`story ${story.branch}`), story))
  const talks = TALKS.slice(LIVE_AT.length).slice(0, times.length - stories.length)
  const told = talks.map((talk, index) =>
    talkScript(random.fork(`talk ${index}`), talk, random.int(2, 6), random.int(100, 260)),
  )
  const mixed = [...stories, ...told.map(withPauses)]
    .map((script) => ({ script, order: random.next() }))
    .toSorted((one, other) => one.order - other.order)
  const usual = mixed.map(({ script }, index) => ({ at: times[index] ?? 0, script }))
  const special = (curated as unknown as readonly Curated[]).map(({ daysAgo, minutesBefore, script }) => ({
    at: -daysAgo * DAY_MS - minutesBefore * MINUTE_MS,
    script,
  }))
  return [...usual, ...special].toSorted((one, other) => one.at - other.at)
}

/** A project whose people leave the keyboard for longer than its cache lives, which a suggestion is about. */
const PAUSING = '/home/dev/ferry'
const PAUSES = [12, 21, 9, 34, 16]

function withPauses(script: Script): Script {
  if (script.folder !== PAUSING) return script
  const turns = script.turns.map(({ steps, ...turn }, at): Script['turns'][number] => {
    const wait = PAUSES[at % PAUSES.length] ?? 0
    return { ...turn, steps: [at === 0 ? { change: 'lifetime', to: '5m' } : { waitMinutes: wait }, ...steps] }
  })
  return { ...script, turns }
}

function liveLines(random: Random): readonly DemoLine[] {
  return TALKS.slice(0, LIVE_AT.length).flatMap((talk, index) => {
    const own = random.fork(`live ${index}`)
    const script = {
      ...talkScript(own, talk, own.int(9, 11), 0),
      model: index % 2 === 0 ? 'claude-sonnet-5-5' : 'claude-haiku-5-5',
    }
    return tell(script, { at: 2_000 + (LIVE_AT[index] ?? 0) * MINUTE_MS, random: own, idMark: ROUND_MARK })
  })
}

const fieldsFirst = (lines: readonly DemoLine[]) => lines.filter(({ kind }) => kind === 'fields')

const inOrder = (lines: readonly DemoLine[]) =>
  lines
    .flatMap((line) => (line.kind === 'fields' || line.kind === 'live' ? [] : [line]))
    .toSorted((one, other) => one.at - other.at)
