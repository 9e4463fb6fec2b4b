import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, expect, test } from 'vitest'
import { carryList } from '../../../src/main/operations/reader/carry.ts'
import { requestDiff } from '../../../src/main/operations/reader/request-diff.ts'
import type { Json, JsonObject } from '../../../src/shared/event.ts'
import { createTimedExchanges } from '../../support/recorder/timed-exchanges.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { randomWords, seeded } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import { allMisses } from '../../support/upstream/simulated-sessions.ts'
import { bill, hadItRead, type SimulatedUsage } from '../../support/upstream/cache-simulator.ts'

/** As captured: items 0 to 5 are Codex's own, then come a prompt, an answer with a call, its result, and a second turn. */
const SENT = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/requests/codex-0.169.json'), 'utf8'),
) as JsonObject & { readonly input: readonly JsonObject[] }
const [TOOLS, INSTRUCTIONS, RULES, ENVIRONMENT, PROMPT, REASONING, RESULT] = [0, 1, 2, 5, 6, 7, 10] as const
/** Items of the requests of the conversation. */
const REQUESTS = [7, 11, 13, 17]
const MINUTE = 60_000
/** USD per million tokens of `gpt-5.6-sol`, as published. */
const RATES = { input: 4, read: 0.4, write5m: 5, write1h: 0 }
const VARIATIONS = runs(1, 20)

type Random = () => number
interface Conversation {
  body: JsonObject
  input: Json[]
}
interface Plant {
  readonly kind: string | null
  readonly detail?: string
  readonly waitMs?: number
  /** The API loses its cache. */
  readonly evict?: true
  readonly change?: (conversation: Conversation, random: Random) => void
}

const change = (conversation: Conversation, at: number, more: (item: JsonObject) => JsonObject) => {
  conversation.input[at] = more(conversation.input[at] as JsonObject)
}
const says = (conversation: Conversation, at: number, text: string) =>
  change(conversation, at, (item) => ({ ...item, content: [{ type: 'input_text', text }] }))
const set = (name: string, value: Json) => (conversation: Conversation) => {
  conversation.body = { ...conversation.body, [name]: value }
}
const agents = (text: string): JsonObject => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: `# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>${text}</INSTRUCTIONS>` }],
})
const RENEWED = (conversation: Conversation) => {
  conversation.input = conversation.input.map((item, at) => ({
    ...Object.fromEntries(Object.entries(item as JsonObject).toReversed()),
    id: `renewed_${at}`,
    status: 'completed',
    internal_chat_message_metadata_passthrough: { turn_id: `turn ${at}` },
  }))
}

const PLANTS: Readonly<Record<string, Plant>> = {
  nothing: { kind: null },
  'ids, notes and the order of fields': { kind: null, change: RENEWED },
  'a cache that the API lost': { kind: 'unknown', detail: 'does not promise to keep it', evict: true },
  'a lost cache, and renewed ids': { kind: 'unknown', detail: 'does not promise', evict: true, change: RENEWED },
  'a pause of a quarter of an hour, lost': { kind: 'ttl_expired', waitMs: 15 * MINUTE, evict: true },
  'a pause of a quarter of an hour, kept': { kind: null, waitMs: 15 * MINUTE },
  'two hours': { kind: 'ttl_expired', waitMs: 120 * MINUTE },
  'a changed tool, after a quarter of an hour': {
    kind: 'tools_changed',
    waitMs: 15 * MINUTE,
    change: (conversation, random) =>
      change(conversation, TOOLS, (item) => ({ ...item, tools: [randomWords(random, 9)] })),
  },
  'another tool': {
    kind: 'tools_changed',
    change: (conversation, random) =>
      change(conversation, TOOLS, ({ tools = [], ...item }) => ({
        ...item,
        tools: [...(tools as Json[]), { type: 'function', name: randomWords(random, 1) }],
      })),
  },
  'other instructions': {
    kind: 'system_changed',
    change: (conversation, random) => says(conversation, INSTRUCTIONS, randomWords(random, 900)),
  },
  'instructions outside of the input': { kind: 'system_changed', change: set('instructions', 'Be brief.') },
  'other skills': {
    kind: 'messages_changed',
    change: (it, random) => says(it, RULES, `<skills_instructions>${randomWords(random, 9)}`),
  },
  'another AGENTS.md': {
    kind: 'messages_changed',
    change: (conversation, random) => conversation.input.splice(ENVIRONMENT, 0, agents(randomWords(random, 9))),
  },
  'another folder': {
    kind: 'messages_changed',
    change: (it) => says(it, ENVIRONMENT, '<environment_context>\n  <cwd>/elsewhere</cwd>'),
  },
  'an old result that was shortened': {
    kind: 'messages_changed',
    change: (it) => change(it, RESULT, (item) => ({ ...item, output: 'gone' })),
  },
  'reasoning that is left out': { kind: 'messages_changed', change: ({ input }) => input.splice(REASONING, 1) },
  'another model': { kind: 'model_changed', change: set('model', 'gpt-5.5') },
  'another format of the answer': {
    kind: 'parameters_changed',
    change: set('text', { format: { type: 'json_object' } }),
    evict: true,
  },
  'another key of the cache': {
    kind: 'parameters_changed',
    change: set('prompt_cache_key', 'another'),
    evict: true,
  },
  'a tool less': {
    kind: 'tools_changed',
    change: (it) => change(it, TOOLS, ({ tools = [], ...item }) => ({ ...item, tools: (tools as Json[]).slice(1) })),
  },
  'tools in another order': {
    kind: 'tools_changed',
    change: (it) =>
      change(it, TOOLS, ({ tools = [], ...item }) => ({ ...item, tools: (tools as Json[]).toReversed() })),
  },
  'another model and other instructions': {
    kind: 'model_changed',
    change(it, random) {
      set('model', 'gpt-5.5')(it)
      says(it, INSTRUCTIONS, randomWords(random, 900))
    },
  },
  'another service tier': {
    kind: 'unknown',
    detail: 'service_tier',
    change: set('service_tier', 'flex'),
    evict: true,
  },
  'what is stored': { kind: 'unknown', detail: 'does not promise', change: set('store', true), evict: true },
  'another choice of tools': {
    kind: 'parameters_changed',
    change: set('tool_choice', 'none'),
    evict: true,
  },
  'parallel calls': {
    kind: 'unknown',
    detail: 'parallel_tool_calls',
    change: set('parallel_tool_calls', true),
    evict: true,
  },
  'more is included': { kind: 'unknown', detail: 'does not promise', change: set('include', []), evict: true },
  'an hour and a minute': { kind: 'ttl_expired', waitMs: 61 * MINUTE },
  'an edited prompt': { kind: 'messages_changed', change: (it, random) => says(it, PROMPT, randomWords(random, 80)) },
  'another effort': { kind: 'unknown', detail: 'reasoning', change: set('reasoning', { effort: 'high' }), evict: true },
  'a compaction': {
    kind: 'compaction',
    change({ input }) {
      input.splice(PROMPT + 1, input.length, { type: 'compaction', encrypted_content: 'short' }, input.at(-1) ?? null)
    },
  },
}

/** Caches the beginnings of requests by what the model reads, in steps of 128 tokens from 1,024 on. */
class PrefixCache {
  now = Date.parse('2026-11-20T08:00:00Z')
  #sent: { readonly parts: readonly string[]; readonly at: number }[] = []

  send({ model, instructions, text, input }: JsonObject): SimulatedUsage {
    const parts = [model, instructions ?? null, text ?? null, ...(input as readonly JsonObject[]).map(readPart)].map(
      (part) => JSON.stringify(part),
    )
    const tokens = (count: number) => Math.ceil(parts.slice(0, count).join('').length / 4)
    const common = this.#sent
      .filter(({ at }) => this.now - at <= 60 * MINUTE)
      .map((other) => parts.findIndex((part, at) => part !== other.parts[at]))
      .map((at) => (at < 0 ? parts.length : at))
    const steps = (count: number) => (count < 1024 ? 0 : count - (count % 128))
    const read = steps(tokens(Math.max(0, ...common)))
    const [total, cached] = [tokens(parts.length), steps(tokens(parts.length))]
    this.#sent.push({ parts, at: this.now })
    return { input: total - cached, read, written5m: cached - read, written1h: 0 }
  }

  evict(): void {
    this.#sent = []
  }
}

function readPart({ type, role, content, output, tools, encrypted_content: hidden }: JsonObject): Json {
  const texts = Array.isArray(content) ? content.map((part: Json) => (part as JsonObject)['text'] ?? null) : null
  return [type ?? null, role ?? null, texts, output ?? null, tools ?? null, hidden ?? null]
}

const answerOf = (id: string, model: Json | undefined, usage: SimulatedUsage, output: Json = []): object => ({
  id,
  object: 'response',
  status: 'completed',
  model,
  output,
  usage: {
    input_tokens: usage.input + usage.read + usage.written5m,
    input_tokens_details: { cached_tokens: usage.read, cache_write_tokens: usage.written5m },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
  },
})

interface More {
  readonly output?: Json
  readonly thread?: string
  readonly key?: string
  /** Refused with this status. */
  readonly status?: number
  /** Its answer never comes. */
  readonly isLost?: true
}

function session(name: string, record: ReturnType<typeof createTimedExchanges>, cache: PrefixCache) {
  let answers = 0
  return async (body: JsonObject, { output, thread = name, key = 'sk-1', status, isLost }: More = {}) => {
    const headers = [
      ['user-agent', 'codex_exec/0.169.0 (Linux; x86_64)'],
      ['authorization', `Bearer ${key}`],
      ['session-id', name],
      ['thread-id', thread],
    ] as const
    const usage = status === undefined ? cache.send(body) : { input: 0, read: 0, written5m: 0, written1h: 0 }
    answers += 1
    const answer =
      status === undefined
        ? answerOf(`resp_${name}_${answers}`, body['model'], usage, output)
        : { error: { type: 'server_error', message: 'Overloaded' } }
    const path = '/openai/v1/responses'
    const sent = { wall: cache.now, session: name, path, headers, body, answer, ...(status ? { status } : {}) }
    await (isLost ? record.start(sent) : record(sent))
    cache.now += 20_000
    return usage
  }
}

const uuidOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

test('causes by the documented rule: what changed in the beginning, or time; never the provider', async () => {
  const { store, dbPath } = openTestStore()
  const record = createTimedExchanges(store)
  const cache = new PrefixCache()
  const expected: { name: string; session: string; at: string; plant: Plant; waste: number | null }[] = []
  let number = 0
  for (const [name, plant] of Object.entries(PLANTS))
    for (let round = 0; round < VARIATIONS; round += 1) {
      const random = seeded(SEED + (number += 1))
      const input = structuredClone(SENT.input) as Json[]
      const conversation: Conversation = { body: SENT, input }
      says(conversation, INSTRUCTIONS, randomWords(random, 900 + Math.floor(random() * 500)))
      says(conversation, PROMPT, randomWords(random, 100))
      change(conversation, RESULT, (item) => ({ ...item, output: randomWords(random, 300) }))
      const send = session(uuidOf(number), record, cache)
      const ask = (items: number) =>
        send({ ...conversation.body, input: conversation.input.slice(0, conversation.input.length + items - 17) })
      await ask(7)
      const before = await ask(11)
      if (plant.kind === 'compaction') {
        const trigger = [...input.slice(0, 11), { type: 'compaction_trigger' }]
        await send(
          { ...conversation.body, input: trigger },
          { output: [{ type: 'compaction', encrypted_content: 'short' }] },
        )
      }
      conversation.input = conversation.input.slice(0, 13)
      plant.change?.(conversation, random)
      if (plant.evict) cache.evict()
      cache.now += plant.waitMs ?? 0
      const at = new Date(cache.now).toISOString()
      const usage = await send({ ...conversation.body, input: conversation.input })
      const left = before.read + before.written5m
      const missed = Math.max(0, Math.min(left, usage.input + usage.read + usage.written5m) - usage.read)
      const isPriced = plant.kind !== 'model_changed' && plant.kind !== 'compaction'
      const waste = isPriced ? bill(usage, RATES) - bill(hadItRead(usage, missed), RATES) : null
      expected.push({ name, plant, session: `codex-${uuidOf(number)}`, at, waste })
      conversation.input.push(...structuredClone(SENT.input.slice(13)))
      await send({ ...conversation.body, input: conversation.input })
    }
  const misses = allMisses(dbPath)
  const wrong = expected.flatMap(({ name, session: id, at, plant, waste }) => {
    const of = misses.filter(({ session_id: own }) => own === id)
    const found = of.find(({ ts_wall: sent }) => sent === at)
    const note = plant.detail ?? 'by the documented rule'
    const isRight =
      plant.kind === null
        ? of.length === 0
        : of.length === 1 && found?.cause.kind === plant.kind && found.cause.detail?.includes(note) === true
    const isPriced = waste === null || Math.abs((found?.waste_usd ?? 0) - waste) < 1e-9
    return isRight && isPriced
      ? []
      : [`${name}: ${JSON.stringify(of.map(({ cause, waste_usd: usd }) => [cause, usd, waste]))}`]
  })
  expect(wrong).toEqual([])
  store.close()
})

interface Circumstances {
  readonly told: Conversation
  readonly random: Random
  /** Goes on and asks. */
  readonly next: (more?: More) => Promise<unknown>
  /** Asks the same, or something else. */
  readonly send: (more?: More, input?: readonly Json[]) => Promise<unknown>
  readonly say: () => void
  readonly wait: (minutes: number) => void
}

/** What happens before the request that changes, after which nothing is missed. */
const CIRCUMSTANCES: Readonly<Record<string, (of: Circumstances) => Promise<unknown> | void>> = {
  plainly: () => undefined,
  'after a refusal': ({ send }) => send({ status: 503 }),
  'after a cut answer': async ({ say, send, next }) => {
    say()
    await send({ isLost: true })
    await next()
  },
  'after the same again': ({ send }) => send(),
  'after a pause that nothing was lost in': async ({ wait, next }) => {
    wait(12)
    await next()
  },
  'after a pause that all was lost in': async ({ wait, next }) => {
    wait(90)
    await next()
  },
  'after AGENTS.md came': async ({ told, next }) => {
    told.input.splice(ENVIRONMENT, 0, agents('Use tabs.'))
    told.input.splice(ENVIRONMENT, 1)
    await next()
  },
  'after another model and back': async ({ told, next }) => {
    const { model = null } = told.body
    set('model', 'gpt-5.4')(told)
    await next()
    set('model', model)(told)
    await next()
  },
  'after its ids were renewed': async ({ told, next }) => {
    RENEWED(told)
    await next()
  },
  'after a compaction': async ({ told, random, send, next }) => {
    const made = { type: 'compaction', encrypted_content: randomWords(random, 80) }
    await send({ output: [made] }, [...told.input, { type: 'compaction_trigger' }])
    told.input.splice(PROMPT + 1, told.input.length, made)
    await next()
  },
  'after a rewind': async ({ told, next }) => {
    await next()
    await next()
    told.input.splice(-4)
    await next()
  },
  'beside another thread': async ({ random, send }) => {
    const asked = { type: 'message', role: 'user', content: [{ type: 'input_text', text: randomWords(random, 400) }] }
    for (const more of [[], [asked]]) await send({ thread: uuidOf(99_999) }, [asked, ...more])
  },
  'after twelve steps': async ({ next }) => {
    for (let at = 0; at < 12; at += 1) await next()
  },
  'after another key and back': async ({ next }) => {
    await next({ key: 'sk-2' })
    await next()
  },
}

test('causes of Codex are named in odd circumstances', async () => {
  const { store, dbPath } = openTestStore()
  const cache = new PrefixCache()
  const record = createTimedExchanges(store)
  const expected: { name: string; id: string; at: string; kind: string; missed: number; waste: number | null }[] = []
  for (let number = 1; number <= runs(24, 500); number += 1) {
    const random = seeded(SEED + 90_000 + number)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] ?? assert.fail('an empty list')
    const [where, happen] = pick(Object.entries(CIRCUMSTANCES))
    const [what, plant] = pick(Object.entries(PLANTS).filter(([, { kind }]) => kind !== null && kind !== 'compaction'))
    if (where === 'after a compaction' && /result|reasoning that/.test(what)) continue
    const told: Conversation = { body: SENT, input: structuredClone(SENT.input.slice(0, 11)) as Json[] }
    says(told, INSTRUCTIONS, randomWords(random, 900))
    says(told, PROMPT, randomWords(random, 100))
    change(told, RESULT, (item) => ({ ...item, output: randomWords(random, 300) }))
    const ask = session(uuidOf(number), record, cache)
    const send = (more?: More, input: readonly Json[] = told.input) => ask({ ...told.body, input: [...input] }, more)
    const say = () => {
      for (const [role, type] of [
        ['assistant', 'output_text'],
        ['user', 'input_text'],
      ] as const)
        told.input.push({ type: 'message', role, content: [{ type, text: randomWords(random, 60) }] })
    }
    const next = (more?: More) => {
      say()
      return send(more)
    }
    await send()
    await next()
    await happen({ told, random, next, send, say, wait: (minutes) => void (cache.now += minutes * MINUTE) })
    const before = await next()
    say()
    plant.change?.(told, random)
    if (plant.evict) cache.evict()
    cache.now += plant.waitMs ?? 0
    const at = new Date(cache.now).toISOString()
    const usage = await send()
    const left = before.read + before.written5m
    const missed = Math.max(0, Math.min(left, usage.input + usage.read + usage.written5m) - usage.read)
    const waste = plant.kind === 'model_changed' ? null : bill(usage, RATES) - bill(hadItRead(usage, missed), RATES)
    expected.push({ name: `${where}: ${what}`, id: uuidOf(number), at, kind: plant.kind ?? '', missed, waste })
    cache.now += 3 * 60 * MINUTE
  }
  const misses = allMisses(dbPath)
  const wrong = expected.flatMap(({ name, id, at, kind, missed, waste }) => {
    const found = misses.find((miss) => miss.session_id === `codex-${id}` && miss.ts_wall === at)
    const isPriced = waste === null || Math.abs((found?.waste_usd ?? 0) - waste) < 1e-9
    if (found?.cause.kind === kind && found.missed_tokens === missed && isPriced) return []
    return [
      `${name}: ${kind}, ${missed} missed, $${waste}: ${JSON.stringify([found?.cause, found?.missed_tokens, found?.waste_usd])}`,
    ]
  })
  expect(wrong).toEqual([])
  store.close()
}, 600_000)

/** What happens after two requests; `ask` sends the conversation so far and one more step. */
const STORIES: Readonly<
  Record<string, readonly [kinds: readonly string[], tell: (told: Conversation, steps: Steps) => Promise<unknown>]>
> = {
  'another model and back in time': [
    ['model_changed'],
    async (told, { ask }) => {
      set('model', 'gpt-5.5')(told)
      await ask()
      set('model', SENT['model'] ?? null)(told)
      await ask()
    },
  ],
  'another model, and back after two hours': [
    ['model_changed', 'ttl_expired'],
    async (told, { ask, wait }) => {
      set('model', 'gpt-5.5')(told)
      await ask()
      wait(120)
      set('model', SENT['model'] ?? null)(told)
      await ask()
    },
  ],
  'another model, and back to a cache that the API lost': [
    ['model_changed', 'unknown'],
    async (told, { ask, lose }) => {
      set('model', 'gpt-5.5')(told)
      await ask()
      lose()
      set('model', SENT['model'] ?? null)(told)
      await ask()
    },
  ],
  'AGENTS.md, edited twice': [
    ['messages_changed', 'messages_changed'],
    async (told, { ask }) => {
      told.input.splice(ENVIRONMENT, 0, agents('Use tabs.'))
      await ask()
      told.input[ENVIRONMENT] = agents('Use spaces.')
      await ask()
    },
  ],
  'a compaction, a pause, and on': [
    ['compaction', 'ttl_expired'],
    async (_, { ask, compact, wait }) => {
      await compact()
      await ask()
      wait(90)
      await ask()
      await ask()
    },
  ],
  'a pause that nothing was lost in, then a lost cache': [
    ['unknown'],
    async (_, { ask, lose, wait }) => {
      wait(30)
      await ask()
      lose()
      await ask()
    },
  ],
}

interface Steps {
  readonly ask: () => Promise<unknown>
  readonly compact: () => Promise<unknown>
  readonly wait: (minutes: number) => void
  readonly lose: () => void
}

test.each(Object.entries(STORIES))('a story of Codex: %s', async (_, [kinds, tell]) => {
  const { store, dbPath } = openTestStore()
  const cache = new PrefixCache()
  const random = seeded(SEED)
  const send = session(uuidOf(1), createTimedExchanges(store), cache)
  const told: Conversation = { body: SENT, input: structuredClone(SENT.input.slice(0, 7)) as Json[] }
  says(told, INSTRUCTIONS, randomWords(random, 900))
  const say = (role: string, type: string) =>
    told.input.push({ type: 'message', role, content: [{ type, text: randomWords(random, 200) }] })
  const ask = async () => {
    await send({ ...told.body, input: [...told.input] })
    say('assistant', 'output_text')
    say('user', 'input_text')
  }
  const compact = async () => {
    const made = { type: 'compaction', encrypted_content: 'short' }
    await send({ ...told.body, input: [...told.input, { type: 'compaction_trigger' }] }, { output: [made] })
    told.input.splice(PROMPT + 1, told.input.length, made)
    say('user', 'input_text')
  }
  await ask()
  await ask()
  await tell(told, { ask, compact, wait: (minutes) => (cache.now += minutes * MINUTE), lose: () => cache.evict() })
  const found = allMisses(dbPath).map(({ cause }) => cause.kind)
  expect(found.toReversed()).toEqual(kinds)
  store.close()
})

test('items are compared by what the model reads, and their life cost has kinds, tools and files', async () => {
  const { store, dbPath } = openTestStore()
  const send = session(uuidOf(1), createTimedExchanges(store), new PrefixCache())
  const input = structuredClone(SENT.input) as Json[]
  const more = { name: 'apply_patch', input: '*** Begin Patch\n*** Add File: src/theme.txt\n+light\n*** End Patch' }
  const patch = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_patch', ...more }
  input.push(agents('Be brief.'), patch, { type: 'custom_tool_call_output', call_id: 'call_patch', output: 'Done.' })
  for (const items of [...REQUESTS, input.length]) {
    const conversation = { body: SENT, input: input.slice(0, items) }
    if (items === 17) RENEWED(conversation)
    await send({ ...SENT, input: conversation.input })
  }
  reading(dbPath, (reader) => {
    const uuid = store.ingest.lastRequest(`codex-${uuidOf(1)}`, null)?.uuid ?? assert.fail('no request')
    const changes = requestDiff(reader, { uuid }).items.map(({ change: what, at, blocks }) => [what, at, blocks])
    expect(changes).toEqual([
      ['equal', 'messages[0].content[0]', 17],
      ['added', 'messages[17].content[0]', 1],
      ['added', 'messages[18].content[0]', 1],
      ['added', 'messages[19].content[0]', 1],
    ])
    const keys = (by: 'kind' | 'tool' | 'file') =>
      carryList(reader, { by, limit: 50 })
        .items.map(({ key }) => key)
        .toSorted()
    const kinds = ['answer', 'claude_md', 'prompt', 'reminder', 'skill', 'system_prompt', 'thinking']
    expect(keys('kind')).toEqual([...kinds, 'tool_call', 'tool_result', 'tool_schema'].toSorted())
    expect(keys('tool')).toEqual(['apply_patch', 'exec_command', null].toSorted())
    expect(keys('file')).toEqual(['/work', 'src/theme.txt', null].toSorted())
  })
  store.close()
})
