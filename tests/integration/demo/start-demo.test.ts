import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoFile, readDemo, type DemoStep } from '../../../src/main/demo/demo-file.ts'
import { demoLimits } from '../../../src/main/demo/demo-limits.ts'
import { DEMO_SEARCHES } from '../../../src/renderer/features/recall/demo-searches.ts'
import { CACHE_CAUSES } from '../../../src/shared/cache-causes.ts'
import { aspy } from '../../support/app/aspy-command.ts'
import { expectNoSetup } from '../../support/app/expect-no-setup.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { demoText } from '../../support/demo/traffic/demo-lines.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')

test('the demo is what scripts/write-demo.ts writes, in less than a megabyte', () => {
  const packed = readFileSync(demoFile())
  expect(packed.length).toBeLessThan(1_000_000)
  expect(brotliDecompressSync(packed).toString() === demoText(), 'run: node scripts/write-demo.ts').toBe(true)
})

const MINUTE_MS = 60_000

test('its live part goes at the pace of one or two people', async () => {
  const { live, liveMs } = await readDemo(demoFile())
  expect(liveMs).toBeGreaterThan(45 * MINUTE_MS)
  const sessionsFrom = (from: number) => {
    const shown = live.filter(({ at }) => at >= from && at < from + 30 * MINUTE_MS)
    return new Set(shown.map(({ session }: DemoStep) => session)).size
  }
  for (let from = 0; from + 30 * MINUTE_MS < liveMs; from += 5 * MINUTE_MS) {
    expect(sessionsFrom(from)).toBeGreaterThanOrEqual(2)
    expect(sessionsFrom(from)).toBeLessThanOrEqual(4)
  }
})

test('a limit only rises until it is reset', () => {
  const start = Date.parse('2026-11-20T08:00:00Z')
  const seen = Array.from({ length: 2000 }, (_, at) => demoLimits(start + at * 10 * MINUTE_MS))
  for (const name of ['5h', '7d', '7d_opus']) {
    const points = seen.map(
      (limits) => [limits[`unified-${name}-reset`], limits[`unified-${name}-utilization`]] as const,
    )
    const falls = points.filter(([reset, used], at) => {
      const [resetBefore, before] = points[at - 1] ?? [0, 0]
      return reset === resetBefore && Number(used) < Number(before)
    })
    expect(falls, name).toEqual([])
    expect(new Set(points.map(([reset]) => reset)).size, name).toBeGreaterThan(1)
  }
})

interface Session {
  readonly id: string
  readonly title: string
  readonly client: string
  readonly total_cost_usd: number
  readonly started_at: string
  readonly last_event_at: string
  readonly agents: number
  readonly prompts: number
  readonly api_errors: number
  readonly failed_tools: number
}
interface Hits {
  readonly items: readonly { readonly content: string }[]
}

describe('a demo', () => {
  const home = makeTempFolder()
  let app: TestApp
  let sessions: readonly Session[]
  beforeAll(async () => {
    // Whoever shows a demo has a client that it must leave alone.
    app = await startApp({
      upstream: 'http://127.0.0.1:9',
      isDemo: true,
      claudeCode: { env: { CLAUDE_CONFIG_DIR: home.path }, home: home.path, aspy: ['/opt/aspy/bin/aspy'] },
    })
    sessions = (await app.call<{ items: Session[] }>('sessions.list', { limit: 100 })).items
  }, 180_000)
  afterAll(async () => {
    await app.close()
    home.remove()
  })

  const about = (title: string) => sessions.filter((session) => session.title.includes(title))
  const kindsOf = async ([session]: readonly Session[]) => {
    const { items } = await app.call<{ items: { kind: string }[] }>('events.list', {
      session_id: session?.id,
      limit: 500,
    })
    return items.map(({ kind }) => kind)
  }

  test('has its whole history when it has started, and nothing failed', async () => {
    expect(sessions.length).toBeGreaterThan(35)
    expect((await app.running.health()).dropped).toEqual({})
    expect((await app.running.health()).is_demo).toBe(true)
    const oldest = Math.min(...sessions.map(({ started_at: at }) => Date.parse(at)))
    expect(Date.now() - oldest).toBeGreaterThan(20 * 24 * 60 * MINUTE_MS)
    const active = sessions.filter(({ last_event_at: at }) => Date.parse(at) > Date.now() - 30 * MINUTE_MS)
    expect(active.length).toBeGreaterThanOrEqual(1)
    expect(active.length).toBeLessThanOrEqual(4)
  })

  test('neither reads nor changes Claude Code', async () => {
    await expectNoSetup(app)
    expect(readdirSync(home.path)).toEqual([])
  })

  test('counts a prompt once whose request the guard held', () => {
    expect(about('Every icon of the editor').map(({ prompts }) => prompts)).toEqual([3])
  })

  test('has something to do next', async () => {
    const { items } = await app.call<{ items: { kind: string; usd_per_month: number; fix: object | null }[] }>(
      'advice.list',
      {},
    )
    const [first] = items
    expect([first?.kind, first?.fix]).toEqual(['pauses', expect.objectContaining({ title: expect.any(String) })])
    expect(first?.usd_per_month).toBeGreaterThan(0.1)
  })

  test('has the bodies of the requests of every session', async () => {
    for (const { id } of sessions) {
      const { items } = await app.call<{ items: { uuid: string }[] }>('requests.list', { session_id: id, limit: 1 })
      const uuid = items[0]?.uuid
      const { body } = await app.call<{ body: { messages?: []; input?: [] } | null }>('requests.get', { uuid })
      expect(body?.messages ?? body?.input ?? []).not.toEqual([])
    }
  })

  heavily(test)('answers every recipe in the docs with the columns that they show', async () => {
    const page = readFileSync(join(ROOT, 'docs/recipes.md'), 'utf8')
    const recipes = [...page.matchAll(/```sh\naspy (.+)\n```(?:\n\n```text\n(.+))?/g)]
    expect(recipes.length).toBeGreaterThan(10)
    const [{ id = '' } = {}] = about('Import the orders')
    const words = (line: string) => line.match(/[A-Za-z]+/g) ?? []
    using out = makeTempFolder('aspy-recipes-')
    for (const [, command = '', shown = ''] of recipes) {
      const typed = command.replace('ID', id).replace('session.html', join(out.path, 'session.html'))
      const args = [...typed.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
      const { code, stdout, stderr } = await aspy([...args, '--data', app.data])
      expect([command, code, stderr.startsWith('aspy:')]).toEqual([command, 0, false])
      // The first line of a table names its columns; other answers differ each time.
      const columns = shown.includes('   ') ? words(shown) : []
      expect(words(stdout)).toEqual(expect.arrayContaining(columns))
    }
    expect(existsSync(join(out.path, 'session.html'))).toBe(true)
  })

  test('has misses of every cause that can be known', async () => {
    const { by_cause: causes } = await app.call<{ by_cause: { cause: string }[] }>('cache.summary')
    expect(causes.map(({ cause }) => cause).toSorted()).toEqual(
      CACHE_CAUSES.filter((cause) => cause !== 'unknown').toSorted(),
    )
  })

  test('shows each feature in a session', async () => {
    expect(about('We release 0.9 on Friday')[0]?.agents).toBe(3)
    expect((await kindsOf(about('Import the orders'))).filter((kind) => kind === 'compaction')).toHaveLength(2)
    expect(about('The solver gives a phase of NaN')[0]).toMatchObject({ api_errors: 10 })
    expect(await kindsOf(about('Every icon of the editor'))).toContain('guard_action')
    expect(await kindsOf(about('Plan first'))).toContain('task_update')
    expect(sessions.filter(({ client }) => client === 'codex')).toHaveLength(1)
  })

  // What somebody who tries the demo may ask, and words of the right answer.
  test.each([
    ['which palette for the dark theme', 'gruvbox'],
    ['why not float for money', 'minor units'],
    ['tokio or a thread per connection', '42 ms'],
    ['flaky upload test', 'race condition'],
    ['why is high water at Husum off by an hour', 'summer time'],
    ['orders endpoint slow for the largest tenant', 'N+1'],
    ['cannot roll back to 0.8', 'stamped version 2'],
    ['screen reader announces nothing', 'aria-activedescendant'],
  ])('answers "%s"', async (query, answer) => {
    const { items } = await app.call<Hits>('recall.search', { query, limit: 5 })
    const shown = items.map(({ content }) => content.replaceAll(/<\/?mark>/g, ''))
    expect(shown.join('\n')).toContain(answer)
  })

  test('has a decision as the first hit of each search to try, and nothing to correct', async () => {
    const decisions = ['Decided: no timer', 'I decided against blocking', 'integers in minor units']
    const found = await Promise.all(
      DEMO_SEARCHES.map((query) => app.call<Hits & { notes?: unknown }>('recall.search', { query, limit: 1 })),
    )
    const first = found.map(({ items }) => items[0]?.content.replaceAll(/<\/?mark>/g, ''))
    expect(first).toEqual(decisions.map((decision) => expect.stringContaining(decision) as unknown))
    expect(found.map(({ notes }) => notes)).toEqual(decisions.map(() => undefined))
  })
})
