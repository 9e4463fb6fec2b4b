import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../../../src/main/base/fixtures/random.ts'
import { recall } from '../../../src/main/cli/reading/recall.ts'
import { unknownNames } from '../../../src/main/cli/reading/unknown-names.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { describeNotes } from '../../../src/shared/recall-notes.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { few, SEED } from '../../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

const DAY_MS = 86_400_000
const STACK = "TypeError: Cannot read properties of undefined (reading 'id')\n    at toRow (/app/src/rows.ts:12:7)"
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const text = (uuid: string, content: string, at: string, folder: string) =>
  draftOf(
    'assistant_text',
    { text: content, message_id: uuid, index: 0 },
    { at, uuid, keys: [uuid], session_id: `${folder}-session`, project: `/home/me/${folder}` },
  )

const call = { call_id: 'c1', tool_name: 'Bash', input: { command: 'pnpm tariffcheck' }, message_id: 'm', index: 0 }
const drafts = [
  text('march', 'The tariff of March has a basket.', '2026-03-02T12:00:00.000Z', 'shop'),
  text('fresh', 'The tariff of today has no limit.', daysAgo(0), 'blog'),
  text('flags', 'Never push with --no-verify; docker build -x is gone.', daysAgo(40), 'blog'),
  text('stack', STACK, daysAgo(41), 'shop'),
  text('model', 'It printed: model:gpt-5 does not exist.', daysAgo(42), 'shop'),
  text('emoji', 'The release party 🦄 was fine.', daysAgo(43), 'shop'),
  text('rtl', 'הבדיקה נכשלה שוב', daysAgo(44), 'shop'),
  draftOf('tool_call', call, {
    at: '2026-03-03T12:00:00.000Z',
    uuid: 'bash',
    keys: ['call:c1'],
    session_id: 'shop-session',
    project: '/home/me/shop',
  }),
]

/** Coding work in other words, from which queries are made. */
const history = [...generateHistory({ seed: 'surfaces', sessions: 6, events: 500 })]
  .flat()
  .filter(({ kind }) => !kind.startsWith('tool_'))
  .map((draft, at) => ({ ...draft, uuid: `h${at}` }))
/** What the store was given, read here without the code that searches. */
const stored = new Map(
  [...drafts, ...history].flatMap(({ uuid, payload }) => {
    const { text, summary, last_text: last } = payload as { text?: string; summary?: string; last_text?: string }
    const said = text ?? summary ?? last
    return typeof said === 'string' && uuid !== undefined && uuid !== null ? [[uuid, said] as const] : []
  }),
)

const PASTE = `${STACK}\n`.repeat(110)

/** Queries as typed, and the hits in any order; [] means: nothing, and nothing else instead. */
const CASES: readonly (readonly [query: string, hits: readonly string[]])[] = [
  // An exclusion is the same in both spellings, also beside what looks like a command.
  ['tariff -kind:answer', []],
  ['tariff NOT kind:answer', []],
  ['tariff -kind:prompt', ['fresh', 'march']],
  ['tariffcheck tool:bash -tool:bash', []],
  ['tariff -tool:bash', ['fresh', 'march']],
  ['tariff not project:shop', ['fresh']],
  // The dash that a keyboard makes of a hyphen.
  ['tariff –project:shop', ['fresh']],
  ['tariff -on:2 March 2026', ['fresh']],
  ['tariff NOT on:2026-03-01..4 March 2026', ['fresh']],
  ['tariff on:today on:2026-03-02', ['fresh', 'march']],
  ['tariff on:1 March 2026 on:4 March 2026', []],
  ['tariff -project:shop', ['fresh']],
  // One that nothing has excludes nothing, and its words are not searched.
  ['tariff -kind:limit', ['fresh', 'march']],
  ['tariff -project:basket', ['fresh', 'march']],
  ['tariff -client:limit', ['fresh', 'march']],
  ['tariff -after:basket', ['fresh', 'march']],
  ['tariff', ['fresh', 'march']],
  ['tool:BASH', ['bash']],
  ['tool:bash tariffcheck', ['bash']],
  ['tool:nothing-such', []],
  ['tariff project:shop', ['march']],
  ['tariff project:SHOP', ['march']],
  ['tariff session:blog-s', ['fresh']],
  ['tariff after:"last Tuesday"', ['fresh']],
  ['tariff after:last Tuesday', ['fresh']],
  ['tariff after:7d', ['fresh']],
  ['tariff before:04.03.2026', ['march']],
  ['tariff before:yesterday', ['march']],
  ['tariff on:2 March 2026', ['march']],
  ['tariff on:yesterday 25:00', []],
  ['tariff after:2026-W10 before:three days ago', ['march']],
  ['tariff on:Mon, 2 March 2026', ['march']],
  ['tariff on:march 2026', ['march']],
  ['tariff after:2026-03-02 11:00Z before:2026-03-02 13:00Z', ['march']],
  ['tariff after:2026-03-02 13:00Z before:2 March 2026 14:00', []],
  ['tariff since:the day before yesterday', ['fresh']],
  ['kind:TOOL Tool:bash', ['bash']],
  ['tariff NOT basket', ['fresh']],
  // Either of what is around OR, in parentheses or not, also quoted, with filters and beside an exclusion.
  ['basket OR party', ['emoji', 'march']],
  ['basket OR nothingsuch', ['march']],
  ['(basket OR party) tariff', ['emoji', 'fresh', 'march']],
  ['"has a basket" OR "release party"', ['emoji', 'march']],
  ['basket OR "no limit" project:blog', ['fresh']],
  ['bask* OR party', ['emoji', 'march']],
  ['basket OR party NOT tariff', ['emoji']],
  ['tariff kind:answer OR kind:thinking', ['fresh', 'march']],
  // The beginning of words.
  ['tarif*', ['fresh', 'march']],
  ['bask* kind:answer', ['march']],
  ['tariff NOT bask*', ['fresh']],
  ['tariff -"has a basket"', ['fresh']],
  ['tariff -project:shop', ['fresh']],
  ['tariff kind:prompt', []],
  ['?!… --- "" 🦄', []],
  ['kind: after: project:""', []],
]

/** Pasted texts, and the hit that comes first: texts with some of the words may follow. */
const PASTED: readonly (readonly [what: string, query: string, first: string])[] = [
  ['an option', '--no-verify', 'flags'],
  ['a command', 'docker build -x', 'flags'],
  ['a stack trace', STACK, 'stack'],
  ['10 KB', PASTE, 'stack'],
  ['an error that looks like a filter', 'model:gpt-5 does not exist', 'model'],
  ['right to left', 'הבדיקה נכשלה', 'rtl'],
  ['an open quote', '"tariff of March', 'march'],
  ['FTS5 syntax', 'NEAR(party fine) OR * AND "', 'emoji'],
]

let folder: TempFolder
let app: TestApp
let mcp: Client
beforeAll(async () => {
  folder = makeTempFolder()
  fillStore(folder.path, [...drafts, ...history])
  app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path })
  const authorization = `Bearer ${readFileSync(join(folder.path, 'mcp'), 'utf8').trim()}`
  mcp = new Client({ name: 'test', version: '0' })
  await mcp.connect(
    new StreamableHTTPClientTransport(new URL(`${app.app}/mcp`), { requestInit: { headers: { authorization } } }),
  )
})
afterAll(async () => {
  await mcp?.close()
  await app?.close()
  folder?.remove()
})

type Found = OperationOutput<'recall.search'>
const LIMIT = 40
const uuidsIn = ({ items }: Found) => items.map(({ uuid }) => uuid)

async function overHttp(query: string): Promise<string[]> {
  const url = `${app.app}/api/lifestats/recover?limit=${LIMIT}&query=${encodeURIComponent(query)}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${app.token}` } })
  expect(response.status, query.slice(0, 80)).toBe(200)
  return uuidsIn((await response.json()) as Found)
}

async function inTheWindow(query: string): Promise<string[]> {
  // What its query builder makes of a search without other filters (recall-search.test.ts).
  const kinds = { prompts: true, responses: true, thinking: true, tools: false }
  const prefix = /[\p{L}\p{N}_]$/u.test(query)
  return uuidsIn(await app.call<Found>('recall.search', { query, limit: 50, ...kinds, prefix, counts: false }))
}

/** The command itself, with the app as its client. */
async function onTheCommandLine(query: string): Promise<string[]> {
  const client = { call: (name: string, input: object) => app.call(name, input) } as unknown as Parameters<
    typeof recall
  >[0]
  const { json } = await recall(client, { query, limit: `${LIMIT}` }, {})
  return uuidsIn(json as Found)
}

/** The answer for a model. The tool takes at most 2,000 characters. */
async function forModel(query: string): Promise<string> {
  const answer = await mcp.callTool({
    name: 'aspy_recall_context',
    arguments: { query: query.slice(0, 2000), limit: LIMIT, budget: 20_000, project: 'all' },
  })
  return JSON.stringify(answer.content)
}

/** The ids that the answer for a model names, in order. */
async function overMcp(query: string): Promise<string[]> {
  const text = await forModel(query)
  return [...drafts, ...history]
    .flatMap(({ uuid }) => {
      const at = typeof uuid === 'string' ? text.search(new RegExp(` ${uuid}(?:\\]| ·)`)) : -1
      return at < 0 ? [] : [[at, uuid ?? ''] as const]
    })
    .toSorted(([one], [other]) => one - other)
    .map(([, uuid]) => uuid)
}

async function everywhere(query: string) {
  const window = await inTheWindow(query)
  return { window, http: await overHttp(query), cli: await onTheCommandLine(query), mcp: await overMcp(query) }
}

test.each(CASES)('%s finds the same in every place', async (query, hits) => {
  const found = await everywhere(query)
  const sorted = Object.fromEntries(Object.entries(found).map(([place, uuids]) => [place, uuids.toSorted()]))
  const expected = hits.toSorted()
  expect(sorted).toEqual({ window: expected, http: expected, cli: expected, mcp: expected })
})

test.each(PASTED)('%s, pasted, is found first in every place', async (_, query, first) => {
  const { window, http, cli, mcp } = await everywhere(query)
  expect(http[0]).toBe(first)
  expect(window).toEqual(http)
  expect(cli).toEqual(http)
  expect(mcp).toContain(first)
})

/** Queries of two words that a stored text has, in each way of asking. */
const ASKED = Array.from({ length: 200 }, (_, at) => {
  const random = createRandom(`asked ${SEED} ${at}`)
  // Longer words have few irregular forms.
  const pairs = [...stored.values()].flatMap((said) => said.match(/\b\p{L}{7,} \p{L}{7,}\b/gu) ?? [])
  const [one = '', two = ''] = random.pick(pairs).split(' ')
  const ways = [
    one,
    `${one} ${two}`,
    `"${one} ${two}"`,
    `${one} NOT ${two}x`,
    `${one} kind:answer`,
    `${one} -kind:prompt`,
    `why did we change ${one} ${two}?`,
    `${one} OR ${two}`,
    `${one} client:claude-code after:2020-W10`,
    `git commit -m "${one}" && npm run ${two}`,
    `${one} -project:shop until:today`,
  ]
  return [ways[at % ways.length] ?? one, one, two] as const
})

const plain = (of: string) => ` ${of.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `

/** Returns what is untrue of a hit, by the text that is stored. */
function untrue({ uuid, matched, match_type: type, beside }: Found['items'][number], query: string, quoted: string) {
  // An episode sums up the texts of a session.
  if (type === 'episode') return []
  const said = plain(stored.get(uuid) ?? '')
  // Inflected words share their beginning.
  const lacks = matched.filter((word) => !said.includes(word.slice(0, Math.ceil(word.length / 2))))
  return [
    ...lacks.map((word) => `lacks ${word}`),
    ...(matched.length === 0 && beside !== true ? ['has none of the words'] : []),
    ...(query.startsWith('"') && !said.includes(quoted) ? ['lacks the quotation'] : []),
    ...(query.includes('kind:answer') && type !== 'assistant_response' ? [`is ${type}`] : []),
    ...(query.includes('-kind:prompt') && type === 'user_prompt' ? [`is ${type}`] : []),
  ].map((fault) => `${query}: ${uuid} ${fault}`)
}

/** Returns hits in the order of a pack, in which each turn is placed at its best hit. */
const underHeadings = (items: Found['items']): readonly string[] =>
  [...Map.groupBy(items, ({ session_id, turn_id }) => `${session_id} ${turn_id}`).values()]
    .flat()
    .map(({ uuid }) => uuid)

/** Counts the matches on all pages. */
async function listed(query: string): Promise<number> {
  let count = 0
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Found = await app.call('recall.search', { query, limit: 17, ...(cursor === '' ? {} : { cursor }) })
    const own = page.items.filter(({ beside }) => beside !== true)
    count += own.reduce((sum, { copies = 0 }) => sum + 1 + copies, 0)
    cursor = page.next
  }
  return count
}

test('queries made of stored texts find the same in every place, and each hit is what it is said to be', async () => {
  for (const [query, one, two] of few([...new Map(ASKED.map((one) => [one[0], one])).values()], 24)) {
    const {
      items,
      total,
      total_about: isMore = false,
    } = await app.call<Found>('recall.search', { query, limit: LIMIT })
    // What all pages list, with what says the same, is the total; a model reads no other one.
    expect([query, isMore || (await listed(query)) === total]).toEqual([query, true])
    const said = [...(await forModel(query)).matchAll(/\d of (?:more than )?(\d+) match/g)].map(([, count]) =>
      Number(count),
    )
    expect([query, said.filter((count) => count !== total)]).toEqual([query, []])
    expect(items.flatMap((item) => untrue(item, query, plain(`${one} ${two}`)))).toEqual([])
    const { window, http, cli, mcp: ids } = await everywhere(query)
    const wanted = items.map(({ uuid }) => uuid)
    expect([query, http, cli, window.slice(0, LIMIT)]).toEqual([query, wanted, wanted, wanted])
    // A pack for a model leaves out what another of its texts has.
    const headed = underHeadings(items.filter(({ uuid }) => ids.includes(uuid)))
    expect([query, ids, ids.length > 0]).toEqual([query, headed, wanted.length > 0])
  }
})

test('an answer names whole emoji', async () => {
  const { notes } = await app.call<Found>('recall.search', { query: '👨‍👩‍👧 👍🏽 🇩🇪 ⚠️' })
  expect(notes?.symbols).toEqual(['👨‍👩‍👧', '👍🏽', '🇩🇪', '⚠️'])
})

test('an answer says how much of a long paste was searched', async () => {
  const { notes } = await app.call<Found>('recall.search', { query: PASTE })
  expect(notes?.searched_characters).toBeGreaterThan(1900)
  expect(notes?.searched_characters).toBeLessThanOrEqual(2000)
})

test.each(['4 March', '2026-W11', 'last month', '3 days ago', 'yesterday 10:00', 'today', 'this week'])(
  'a span takes %s',
  async (since) => {
    const url = `${app.app}/api/lifestats/recover?query=tariff&since=${encodeURIComponent(since)}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${app.token}` } })
    expect(uuidsIn((await response.json()) as Found)).toEqual(['fresh'])
  },
)

test.each([
  'stats.summary',
  'sessions.list',
  'tools.list',
  'events.recent',
  'errors.list',
  'costs.breakdown',
  'carry.list',
  'cache.summary',
])('%s takes a project by its folder name, as searches do', async (operation) => {
  const whole = await app.call(operation, { project: '/home/me/shop' })
  expect(await app.call(operation, { project: 'Shop' })).toEqual(whole)
  await expect(app.call(operation, { project: 'me' })).rejects.toThrow(/"me" means 2 projects; [^]*\/home\/me\/blog/)
  expect(await app.call(operation, { project: 'nowhere' })).toEqual(await app.call(operation, { project: '/nowhere' }))
})

test('the command line can say which projects, clients, tags and tools are recorded if the one given is unknown', async () => {
  const client = { call: (name: string, input: object) => app.call(name, input) } as unknown as Parameters<
    typeof unknownNames
  >[0]
  for (const unknown of ['nowhere', '/home/me/nowhere']) {
    const said = await unknownNames(client, { project: unknown })
    expect(said).toContain(`Nothing is recorded of project "${unknown}".`)
    expect(said).toContain('/home/me/blog')
  }
  for (const known of ['Shop', '/home/me/shop', undefined])
    expect(await unknownNames(client, { project: known }), known).toBeUndefined()
  expect(await unknownNames(client, { client: 'claude-cod', tag: 'late' })).toMatch(
    /^Nothing is recorded of client "claude-cod"\. There is: .*claude-code.*Nothing is recorded of tag "late"\.$/,
  )
  expect(await unknownNames(client, { tool: 'Bsh' })).toBe('Nothing is recorded of tool "Bsh". There is: Bash.')
  expect(await unknownNames(client, { client: 'claude-code', tool: 'bash' })).toBeUndefined()
})

test('the list of tool calls takes a tool in any case', async () => {
  for (const query of ['tool=bash', 'tool_name=BASH', 'tool=Bash&project=shop']) {
    const response = await fetch(`${app.app}/api/lifestats/tools?${query}`, {
      headers: { authorization: `Bearer ${app.token}` },
    })
    const { items } = (await response.json()) as { items: { tool_name: string }[] }
    expect(
      items.map(({ tool_name: name }) => name),
      query,
    ).toEqual(['Bash'])
  }
})

test('a search takes a folder name for all projects that it means, and advises only what would widen it', async () => {
  const { items } = await app.call<Found>('recall.search', { query: 'tariff', project: 'me' })
  expect(items.map(({ uuid }) => uuid).toSorted()).toEqual(['fresh', 'march'])
  const { total_tool_calls } = await app.call<{ total_tool_calls: number }>('stats.summary', { project: 'shop' })
  expect(total_tool_calls).toBe(1)
  const note = async (project: string) => {
    const found = await mcp.callTool({ name: 'aspy_recall_context', arguments: { query: 'zzqxv', project } })
    return /Nothing (?:recorded|within these limits) matches\.[^\\]*/.exec(JSON.stringify(found.content))?.[0]
  }
  expect(await note('all')).toBe('Nothing recorded matches. Try other words.')
  expect(await note('shop')).toBe('Nothing within these limits matches. Try other words, or project ')
})

test('the command names an option that looks mistyped, and searches it as text', async () => {
  await app.recorderRuns()
  const { code, stderr } = await aspyHere(['recall', 'tariff', '--limt', '5', '--data', folder.path])
  expect([code, stderr]).toEqual([0, 'aspy: --limt is searched as text. Did you mean the option --limit?\n'])
})

test('the command takes options that it does not have as text', async () => {
  await app.recorderRuns()
  const { code, stdout, stderr } = await aspyHere(['recall', 'push', '--no-verify', '--json', '--data', folder.path])
  expect([code, stderr]).toEqual([0, ''])
  expect(uuidsIn(JSON.parse(stdout) as Found)[0]).toBe('flags')
})

test('symbols, exclusions of nothing and times that are none are noted', async () => {
  const notesOf = async (query: string) =>
    (await app.call<OperationOutput<'recall.search'>>('recall.search', { query })).notes
  expect(await notesOf('🦄')).toMatchObject({ symbols: ['🦄'] })
  expect(await notesOf('party ⚠️ -tool:nothing')).toMatchObject({
    symbols: ['⚠️'],
    unknown: [{ name: 'tool', value: 'nothing', exists: ['Bash'] }],
  })
  expect(describeNotes(await notesOf('tariff after:soonish')).join()).toMatch(/after:soonish is not a time.* yesterday/)
  const ofClient = await app.call<OperationOutput<'recall.search'>>('recall.search', {
    query: 'tariff',
    of_client: 'nothing',
  })
  expect([ofClient.items, ofClient.notes?.unknown]).toMatchObject([[], [{ name: 'client', value: 'nothing' }]])
})
