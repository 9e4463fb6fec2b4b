import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { batchOf, fullEvent, joinByHand, type TeamDevice } from '../../support/team/team-device.ts'
import { startTeam, type TeamWorld } from '../../support/team/team-world.ts'

const HOUR = 3600_000
const START = Date.UTC(2026, 10, 18, 20)

describe.skipIf(lacksPostgres)('what is bounded at ten million events', () => {
  let team: TeamWorld
  let admin: TeamDevice
  beforeAll(async () => {
    team = await startTeam()
    admin = await joinByHand(team.url, await team.invite('admin', 'admin'))
  })
  afterAll(() => team?.[Symbol.asyncDispose]())

  /** A call of the API: every third one is unpriced and every fourth one missed nothing. */
  function call(device: TeamDevice, n: number): Record<string, unknown> {
    const sentAt = new Date(START + n * HOUR).toISOString()
    const usage = { model: 'm', basis: 'measured', input_tokens: 1, output_tokens: 1, thinking_tokens: null }
    const tokens = {
      cache_read_tokens: 10 * n,
      cache_creation_tokens: 0,
      cache_creation_1h_tokens: 0,
      cost_usd: 0.1 * n,
    }
    return fullEvent(device, {
      uuid: `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`,
      kind: 'api_usage',
      session_id: `session ${n % 3}`,
      project: n % 2 === 0 ? 'shop' : 'till',
      seq: n,
      ts: new Date(START + n * HOUR + 60_000).toISOString(),
      position: n + 1,
      is_prompt: false,
      text: null,
      usage: { ...usage, ...tokens },
      cache: {
        sent_at: sentAt,
        exchange: null,
        could_read: 12 * n,
        missed_tokens: 2 * n,
        waste_usd: n % 3 === 0 ? null : 0.01 * n,
        cause: n % 4 === 0 ? null : n % 4 === 1 ? 'unknown' : 'ttl_expired',
        vendor_agrees: n % 4 === 2 ? n % 8 === 2 : null,
      },
    })
  }

  /** Sums over the events themselves, as the answer rounds and names them. */
  async function counted(range: string) {
    const json = await team.sql(`SELECT json_build_object('requests', count(*),
        'judged', count(*) FILTER (WHERE cache_cause IS DISTINCT FROM 'unknown'), 'could_read', coalesce(sum(cache_could_read), 0),
        'read', coalesce(sum(cache_read_tokens), 0), 'missed_tokens', coalesce(sum(cache_missed_tokens), 0),
        'unpriced', count(*) FILTER (WHERE cache_waste_usd IS NULL), 'compared', count(cache_vendor_agrees),
        'agreed', count(*) FILTER (WHERE cache_vendor_agrees),
        'waste', round(coalesce(sum(cache_waste_usd), 0)::numeric, 9), 'cost', round(coalesce(sum(cost_usd), 0)::numeric, 9),
        'causes', (SELECT count(DISTINCT cache_cause) FROM events WHERE cache_sent_at IS NOT NULL AND ${range}))
      FROM events WHERE cache_sent_at IS NOT NULL AND ${range}`)
    return JSON.parse(json) as unknown
  }
  async function answered(input: object) {
    const { body } = (await admin.call('/api/cache.summary', input)) as {
      body: Record<string, number> & { vendor: object; by_cause: object[] }
    }
    const { requests, judged, could_read, read, missed_tokens, unpriced, waste_usd, cost_usd, vendor, by_cause } = body
    const figures = { requests, judged, could_read, read, missed_tokens, unpriced, ...vendor }
    const usd = (value = 0) => Number(value.toFixed(9))
    return { ...figures, waste: usd(waste_usd), cost: usd(cost_usd), causes: by_cause.length }
  }
  async function expectSame(): Promise<void> {
    const at = (hours: number) => new Date(START + hours * HOUR).toISOString()
    const ranges: readonly [object, string][] = [
      [{}, 'TRUE'],
      [{ project: 'till' }, "project = 'till'"],
      [{ since: at(1.5) }, `cache_sent_at >= '${at(1.5)}'`],
      [{ until: at(30.5) }, `cache_sent_at < '${at(30.5)}'`],
      [{ since: at(2.5), until: at(80.5) }, `cache_sent_at >= '${at(2.5)}' AND cache_sent_at < '${at(80.5)}'`],
      [{ since: at(4), until: at(28) }, `cache_sent_at >= '${at(4)}' AND cache_sent_at < '${at(28)}'`],
      [{ since: at(5), until: at(9) }, `cache_sent_at >= '${at(5)}' AND cache_sent_at < '${at(9)}'`],
      [{ since: at(1000) }, 'FALSE'],
    ]
    for (const [input, range] of ranges) expect(await answered(input), range).toEqual(await counted(range))
  }

  test('sums of cache misses are those of the events, over any range, after each kind of change', async () => {
    const device = await joinByHand(team.url, await team.invite('ann'))
    const send = async (events: readonly Record<string, unknown>[], fields: object) => {
      const { status } = await device.call('/team/v1/batches', batchOf(device, events, { ...fields }))
      expect(status).toBe(200)
      await expectSame()
    }
    const calls = Array.from({ length: 100 }, (_, n) => call(device, n))
    await send(calls.slice(0, 60), { up_to: 60 })
    await send(calls.slice(60), { after: 60, up_to: 100 })
    await send(calls.slice(60), { after: 60, up_to: 100 })
    const corrected = calls.slice(10, 14).map((event) => ({
      ...event,
      position: 101,
      cache: { ...(event['cache'] as object), cause: 'ttl_expired', missed_tokens: 7 },
    }))
    await send(corrected, { after: 100, up_to: 101 })
    await send([], { after: 101, up_to: 102, removed: calls.slice(20, 30).flatMap(({ keys }) => keys) })
    await send([], { after: 102, up_to: 103, tombstones: [device.ids.id('session', 'session 1')] })
    expect(await counted('TRUE')).not.toMatchObject({ requests: 0 })
    expect((await device.call('/team/v1/withdraw', { sessions: null })).status).toBe(200)
    await expectSame()
    expect(await team.sql('SELECT count(*) FROM cache_daily')).toBe('0')
  })

  test('a common word ranks the newest texts that have it; by time, pages lead to the oldest one', async () => {
    const month = (ts: string) => `date_trunc('month', ${ts} AT TIME ZONE 'UTC')::date`
    const ts = "(now() - n * interval '1 hour')"
    // One text in ten has the word twice, so it ranks higher; the oldest has it ten times.
    await team.sql(`INSERT INTO members (name, role) VALUES ('writer', 'member');
      INSERT INTO texts (month, member_id, uuid, session_id, turn_id, kind, ts, project, shared, content, words)
      SELECT ${month(ts)}, (SELECT id FROM members WHERE name = 'writer'), md5(n::text)::uuid, 's', 1, 'thinking', ${ts}, '', false,
        text, to_tsvector('english', text) FROM generate_series(1, 4000) n,
        LATERAL (SELECT repeat('walrus ', CASE WHEN n = 4000 THEN 10 WHEN n % 10 = 0 THEN 2 ELSE 1 END) || 'number' || n) AS made (text)`)
    const search = async (input: object) =>
      (await admin.call('/api/recall.search', { query: 'walrus', limit: 100, ...input })).body as {
        items: { uuid: string; timestamp: string }[]
        next: string | null
        total: number
        notes?: { ranked_since: string }
      }
    const ranked = await search({})
    const since = Date.parse(ranked.notes?.ranked_since ?? '')
    expect(ranked.total).toBe(1000)
    expect(Date.now() - since).toBeGreaterThan(1000 * HOUR)
    expect(ranked.items.every(({ timestamp }) => Date.parse(timestamp) >= since)).toBe(true)
    // Within that time, the best are first.
    const best = await team.sql(
      `SELECT count(*) FROM texts WHERE content LIKE 'walrus walrus number%' AND ts >= '${new Date(since).toISOString()}'`,
    )
    expect(Number(best)).toBeGreaterThan(100)
    expect(
      await team.sql(
        `SELECT count(*) FROM texts WHERE content LIKE 'walrus walrus %' AND uuid = ANY('{${ranked.items.map(({ uuid }) => uuid).join(',')}}')`,
      ),
    ).toBe('100')
    // A rare word, or a range of time, finds the oldest; then nothing is left out, and nothing is said.
    const rare = await search({ query: 'walrus number4000' })
    expect(rare.items.map(({ uuid }) => uuid)).toEqual([await team.sql("SELECT md5('4000')::uuid")])
    expect(rare.notes).toBeUndefined()
    const until = await search({ until: new Date(Date.now() - 3500 * HOUR).toISOString() })
    expect(until.items[0]?.uuid).toBe(rare.items[0]?.uuid)
    expect(until.notes).toBeUndefined()
    const met: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Awaited<ReturnType<typeof search>> = await search({
        order: 'time',
        ...(cursor === undefined ? {} : { cursor }),
      })
      met.push(...page.items.map(({ uuid }) => uuid))
      cursor = page.next
    }
    expect(met.join('\n')).toBe(await team.sql('SELECT uuid FROM texts ORDER BY ts DESC'))
  })

  test('texts of before are found as a laptop finds them, once the store was upgraded', async () => {
    const texts = [
      '用redis做缓存',
      'the \u001b[31mred one\u001b[0m in src/main/HTTPServer2Go.rs',
      'größere Straße, naïve café, łódź',
      'ＡＰＩ und H₂O, कर्मचारी, المَدرسة',
      'การทดสอบระบบ of foo_bar and don\u2019t',
      'the plain words',
    ]
    await team.sql(`DELETE FROM texts; UPDATE team SET schema_version = 101;
      INSERT INTO texts (month, member_id, uuid, session_id, turn_id, kind, ts, project, shared, content, words)
      SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date, (SELECT id FROM members WHERE name = 'writer'), md5('t' || n)::uuid, 's', 1,
        'thinking', now(), '', false, text, to_tsvector('english', text)
      FROM unnest(ARRAY[${texts.map((text) => `'${text}'`).join(', ')}]) WITH ORDINALITY AS made (text, n)`)
    await team.admin('upgrade')
    const wanted: readonly (readonly [string, readonly number[]])[] = [
      ['redis', [0]],
      ['缓存', [0]],
      ['做', [0]],
      ['red', [1]],
      ['http server', [1]],
      ['HTTPServer2Go', [1]],
      ['src/main NOT red', []],
      ['src/main -red', [1]],
      ['src/main -"red one"', []],
      ['src/main', [1]],
      ['strasse', [2]],
      ['grossere', [2]],
      ['cafe łodz', [2]],
      ['api H2O', [3]],
      ['कर्मचारी', [3]],
      ['مدرسة', [3]],
      ['المدرسة', [3]],
      ['ทดสอบ', [4]],
      ['foobar', [4]],
      ['"foo bar"', [4]],
      ['words NOT plain', []],
      ['words -plain', [5]],
      ['plai* NOT red', [5]],
      ['redis OR "plain words"', [0, 5]],
      ['(foobar OR plain) words', [5]],
    ]
    for (const [query, expected] of wanted) {
      const { body } = await admin.call('/api/recall.search', { query })
      const { items, matched_by } = body as { items: { uuid: string }[]; matched_by: string[] }
      const found = matched_by[0] === 'all' ? items.map(({ uuid }) => uuid).toSorted() : []
      const uuids = await Promise.all(expected.map((at) => team.sql(`SELECT md5('t' || ${at + 1})::uuid`)))
      expect(found, query).toEqual(uuids.toSorted())
    }
    const { body } = await admin.call('/api/recall.search', { query: 'cafe łodz' })
    const marked = { content: 'größere Straße, naïve <mark>café</mark>, <mark>łódź</mark>', matched: ['cafe', 'lodz'] }
    expect(body).toMatchObject({ items: [marked] })
  })
})
