import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { Judge } from '../../../src/main/guard/thread/judge.ts'
import type { ReadRequest } from '../../../src/main/guard/thread/read-request.ts'
import type { Amount, Spending } from '../../../src/main/guard/thread/spending.ts'
import { createPricing, withOwnPrices } from '../../../src/main/store/pricing/pricing.ts'
import type { PastCall } from '../../../src/main/store/read/guard.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { runs } from '../../support/runner/heavy.ts'

/** The caps that the guard's page suggests: the first block of its kind there. */
function suggestedCaps(): object {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/guard.md'), 'utf8')
  return parse(/```toml\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
}

interface Spent extends Amount {
  readonly session: string
  readonly agent: string | null
  readonly project: string | null
  readonly at: number
  readonly call: PastCall
}

/** Spending of a year so far, as the store would answer. */
class SpentSoFar implements Pick<Spending, keyof Spending> {
  readonly #all: Spent[] = []
  readonly #bySession = new Map<string, Spent[]>()

  add(spent: Spent): void {
    this.#all.push(spent)
    this.#bySession.set(spent.session, [...(this.#bySession.get(spent.session) ?? []), spent])
  }
  session = (id: string): Amount => sum(this.#bySession.get(id) ?? [])
  agents = (session: string, ids: readonly string[]): Amount =>
    sum((this.#bySession.get(session) ?? []).filter(({ agent }) => agent !== null && ids.includes(agent)))
  parents = (): ReadonlyMap<string, string | null> => new Map()
  within({ since }: { readonly since: Date }, project: string | null): Amount {
    const first = this.#all.findLastIndex(({ at }) => at < since.getTime()) + 1
    return sum(this.#all.slice(first).filter((spent) => project === null || spent.project === project))
  }
  project = (session: string): string | null => this.#bySession.get(session)?.at(-1)?.project ?? null
  exchange = () => ({ kind: 'final' }) as const
  moments = (): readonly number[] => this.#all.slice(-500).map(({ at }) => at)
  outputs = (model: string): readonly number[] =>
    this.#all.slice(-500).flatMap(({ call }) => (call.model === model ? [call.output_tokens ?? 0] : []))
  recentCalls = (session: string, agent: string | null): readonly PastCall[] =>
    (this.#bySession.get(session) ?? [])
      .filter((spent) => spent.agent === agent)
      .slice(-20)
      .map(({ call }) => call)
      .toReversed()
}

const sum = (all: readonly Amount[]): Amount =>
  all.reduce((total, { usd, tokens }) => ({ usd: total.usd + usd, tokens: total.tokens + tokens }), {
    usd: 0,
    tokens: 0,
  })

/** Replays a history's requests in the order of their time; the caps that stopped one, by how often. */
function replay(drafts: readonly AnyDraft[], guard: object): { readonly asked: number; readonly stopped: object } {
  const pricing = createPricing(withOwnPrices([]))
  const spending = new SpentSoFar()
  const config = configSchema.parse({ guard }).guard
  const judge = new Judge({ spending: spending as unknown as Spending, pricing, config })
  const calls = new Map<string, string[]>()
  const begins = new Set<string>()
  const stopped: Record<string, number> = {}
  let asked = 0
  for (const draft of drafts.toSorted((one, other) => one.ts_wall.localeCompare(other.ts_wall))) {
    const { session_id, agent_id, project = null, ts_wall } = draft
    const line = `${session_id} ${agent_id ?? ''}`
    if (draft.kind === 'user_prompt') {
      calls.set(line, [])
      begins.add(line)
    }
    if (draft.kind === 'tool_call') {
      const call = `${draft.payload.tool_name} ${JSON.stringify(draft.payload.input)}`
      calls.set(line, [...(calls.get(line) ?? []), call])
    }
    if (draft.kind !== 'api_usage') continue
    const { usage, model } = draft.payload
    const prompt = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
    const made = calls.get(line) ?? []
    const newest = made.at(-1) ?? ''
    const at = Date.parse(ts_wall)
    const request: ReadRequest = {
      sessionId: session_id,
      agentId: agent_id,
      parentAgentId: null,
      project,
      model: model ?? '',
      inputTokens: prompt,
      isContinued: false,
      maxTokens: 32_000,
      terms: { speed: null, service_tier: null, inference_geo: null },
      isCaching: true,
      hourTokens: 0,
      turn: [],
      repeats: { count: made.filter((call) => call === newest).length, call: newest },
      beginsTurn: begins.delete(line),
      messages: asked,
    }
    const priced = judge.price(request, at)
    const over = judge.over(priced)
    asked += 1
    if (over !== null) stopped[over.cap] = (stopped[over.cap] ?? 0) + 1
    judge.admit(String(asked), priced)
    judge.forget(String(asked))
    const call = { model: model ?? '', timestamp: ts_wall, prompt_tokens: prompt, output_tokens: usage.output_tokens }
    const usd = pricing.price(model ?? '', usage, ts_wall) ?? 0
    spending.add({ session: session_id, agent: agent_id, project, at, call, usd, tokens: prompt + usage.output_tokens })
  }
  return { asked, stopped }
}

/** As dense as a year: a third of one in `npm test`. */
const SESSIONS = runs(500, 1500)
const year = [...generateHistory({ seed: 'demo year', sessions: SESSIONS, days: runs(122, 365) })].flat()

test('the caps that the page suggests stop nothing in a year of ordinary work', () => {
  const { asked, stopped } = replay(year, (suggestedCaps() as { guard: object }).guard)
  expect(asked).toBeGreaterThan(6 * SESSIONS)
  expect(stopped).toEqual({})
})

test('caps below ordinary work stop some of it: the replay does compare', () => {
  const { stopped } = replay(year, {
    session_usd: 0.5,
    day_usd: 3,
    agents_per_turn: 1,
    repeat_calls: 1,
    request_tokens: 50_000,
  })
  expect(Object.keys(stopped)).toEqual(expect.arrayContaining(['session_usd']))
})
