import { writeFileSync } from 'node:fs'
import type { JudgedQuery, RecallDocument } from './judge.ts'
import { seededRandom } from '../seeded-random.ts'
import { EXCHANGES, SMALL_TALK, TOPICS } from './topics.ts'

/**
 * Writes the judged set to this folder: a coding history (hand-written turns among generated ones) and long conversations, with queries
 * of each kind. The same seed gives the same set: `node tests/bench/recall-set/generate.ts`
 */
const random = seededRandom(20_261_121)
const documents: RecallDocument[] = []
const queries: JudgedQuery[] = []
let clock = Date.parse('2026-03-02T08:00:00Z')

function pick<T>(items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

function add(session: string, kind: string, text: string): string {
  clock += 20_000 + Math.floor(random() * 400_000)
  const id = `d${String(documents.length + 1).padStart(5, '0')}`
  documents.push({ id, session, time: new Date(clock).toISOString(), kind, text })
  return id
}

const VERBS = [
  'load',
  'parse',
  'render',
  'validate',
  'merge',
  'fetch',
  'encode',
  'schedule',
  'resolve',
  'compute',
  'flush',
  'collect',
]
const NOUNS = [
  'invoice',
  'session',
  'widget',
  'customer',
  'report',
  'token',
  'cache',
  'payload',
  'schema',
  'order',
  'channel',
  'snapshot',
  'worker',
  'theme',
  'upload',
  'login',
  'webhook',
]
const PLACES = ['api', 'ui', 'core', 'jobs', 'billing', 'auth', 'search', 'mail']
const FAULTS = [
  'returns null for empty input',
  'is called twice',
  'times out under load',
  'ignores the timezone',
  'leaks a listener',
  'swallows the error',
  'is too slow on large lists',
  'breaks on unicode names',
]
const CURES = [
  'an early return',
  'a guard at the call site',
  'a bounded queue',
  'a lookup table',
  'a retry with backoff',
  'a transaction around both writes',
  'a smaller batch',
  'a typed error',
]
const cap = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** Generates a turn that resembles real ones. */
function addFiller(session: string): void {
  const [verb, noun, other, place] = [pick(VERBS), pick(NOUNS), pick(NOUNS), pick(PLACES)]
  const name = `${verb}${cap(noun)}${cap(other)}`
  const fault = pick(FAULTS)
  add(
    session,
    'user_prompt',
    pick([
      `${name} ${fault}, can you look?`,
      `please fix the ${noun} in src/${place}/${verb}_${other}.ts, it ${fault}`,
      `write a test for ${name}`,
      `why does the ${noun} ${other} page look broken`,
    ]),
  )
  if (random() < 0.7)
    add(
      session,
      'thinking',
      `The function ${name} in ${place} ${fault}. The ${other} comes from the ${noun} table; ${pick(CURES)} would do, but the caller in ${pick(PLACES)} relies on the old shape. Let me read the code first.`,
    )
  add(
    session,
    'assistant_text',
    `${name} ${pick(['now uses', 'got', 'is protected by'])} ${pick(CURES)}; the test in tests/${place}/${verb}_${noun}.test.ts covers that it ${fault}. ${pick(['All tests pass.', 'Two snapshots changed.', 'I left the old signature in place.', 'The change is small.'])}`,
  )
}

function words(text: string): string[] {
  return text.match(/[\p{L}\p{N}'-]+/gu) ?? []
}

const ask = (kind: string, query: string, ...expected: string[]): void => {
  queries.push({ query, expected, kind })
}

const STOP = new Set(
  'the a an and or of to in is it we our for with on at by be are was were that this not no so as from'.split(' '),
)
const isCjk = (text: string) => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)

/** Returns another inflection of a regular English word. */
function inflect(word: string): string | null {
  if (/[a-z]{4,}ing$/.test(word)) return word.slice(0, -3)
  if (/[a-z]{4,}ed$/.test(word)) return `${word.slice(0, -2)}ing`
  if (/[a-z]{4,}[^s]s$/.test(word)) return word.slice(0, -1)
  if (/^[a-z]{4,}(ct|rt|ld|nt|st|ck|sh|ll)$/.test(word)) return `${word}ed`
  if (/^[a-z]{5,}[^aeiouys]$/.test(word)) return `${word}s`
  return null
}

function addTopic(session: string, index: number): void {
  const topic = TOPICS[index]
  if (topic === undefined) return
  const prompt = add(session, 'user_prompt', topic.prompt)
  const thinking = add(session, 'thinking', topic.thinking)
  const answer = add(session, 'assistant_text', topic.answer)
  if (isCjk(topic.prompt)) {
    for (const question of topic.questions) ask('cjk', question, prompt, thinking, answer)
    const run = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{3,6}/u.exec(topic.answer)?.[0]
    if (run !== undefined) ask('cjk', run, answer)
    const promptRun = /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]{2,4}/u.exec(topic.prompt)?.[0]
    if (promptRun !== undefined)
      ask('cjk', promptRun, ...documents.filter(({ text }) => text.includes(promptRun)).map(({ id }) => id))
    return
  }
  for (const question of topic.questions) ask('question', question, prompt, thinking, answer)
  const own = words(topic.answer)
  const at = 2 + Math.floor(random() * Math.max(1, own.length - 9))
  ask('phrase', own.slice(at, at + 5).join(' '), answer)
  const telling = [...new Set(words(topic.thinking).map((word) => word.toLowerCase()))].filter(
    (word) => word.length > 4 && !STOP.has(word) && /^[a-z]+$/.test(word),
  )
  const chosen = telling.filter(() => random() < 0.5).slice(0, 3)
  if (chosen.length >= 2) ask('keywords', chosen.join(' '), thinking)
  const forms = telling.flatMap((word) => inflect(word) ?? []).slice(0, 3)
  if (forms.length >= 2) ask('inflected', forms.join(' '), thinking)
  for (const [identifier] of topic.answer.matchAll(
    /\b(?:[a-z]+[A-Z][A-Za-z]+|[A-Z][a-z]+[A-Z][A-Za-z]+|[a-z]+_[a-z_]+)\b/g,
  )) {
    ask('identifier', identifier, answer, thinking, prompt)
    const parts = identifier
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .replaceAll('_', ' ')
      .toLowerCase()
      .split(' ')
    ask('identifier_part', parts.slice(0, 2).join(' '), answer, thinking, prompt)
  }
  for (const [symbol] of topic.answer.matchAll(
    /(?:\bC\+\+|\bC#|(?:[a-z]+\/)+[a-z_]+\.[a-z]+|[a-z]+_[a-z]+\.css|--[a-z-]+=\d+|\b[A-Z]+-\d\.\d\b)/g,
  ))
    ask('symbols', symbol, answer, thinking, prompt)
}

// A coding history: hand-written turns, each in a session with similar work.
let topics = 0
for (let index = 0; index < 60; index += 1) {
  const session = `code-${String(index + 1).padStart(2, '0')}`
  const turns = 8 + Math.floor(random() * 10)
  const place = Math.floor(random() * turns)
  for (let turn = 0; turn < turns; turn += 1) {
    addFiller(session)
    if (turn === place && topics < TOPICS.length) addTopic(session, topics++)
  }
  clock += 86_400_000 * (1 + Math.floor(random() * 3))
}
for (const symbol of ["can't log in", 'src/ui/theme_registry.ts', 'web_sessions table', 'C# csharp']) {
  const needle = symbol.split(' ')[0] ?? symbol
  ask('symbols', symbol, ...documents.filter(({ text }) => text.includes(needle)).map(({ id }) => id))
}

// Long conversations: each exchange is surrounded by small talk.
const NAMES = [
  ['Maya', 'Tom'],
  ['Olga', 'Deniz'],
  ['Priya', 'Lukas'],
  ['Hannah', 'Marco'],
] as const
let exchanges = 0
for (const [talk, [a, b]] of NAMES.entries()) {
  for (let meeting = 0; meeting < 6; meeting += 1) {
    const session = `talk-${talk + 1}-${meeting + 1}`
    let speaker = 0
    const say = (text: string) =>
      add(session, speaker++ % 2 === 0 ? 'user_prompt' : 'assistant_text', `${speaker % 2 === 1 ? a : b}: ${text}`)
    for (let round = 0; round < 6; round += 1) {
      for (let line = 0; line < 2 + Math.floor(random() * 2) * 2; line += 1) say(pick(SMALL_TALK))
      const found = round % 4 === 1 ? EXCHANGES[exchanges] : undefined
      if (found === undefined) continue
      exchanges += 1
      const [first, second] = [say(found.first), say(found.second)]
      ask(
        'conversation',
        found.question.replaceAll('{A}', a).replaceAll('{B}', b),
        found.answer === 'first' ? first : second,
      )
    }
    clock += 86_400_000 * 5
  }
}

const write = (name: string, rows: readonly object[]) =>
  writeFileSync(new URL(name, import.meta.url), `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`)
write('documents.jsonl', documents)
write('queries.jsonl', queries)
console.log(`${documents.length} documents, ${queries.length} queries`)
