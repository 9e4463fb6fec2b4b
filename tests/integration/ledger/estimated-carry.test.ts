import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { carryList, carrySession } from '../../../src/main/operations/reader/carry.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { CARRY_GROUPS } from '../../../src/shared/contract/carry.ts'
import { few } from '../../support/runner/heavy.ts'
import { HASH_KEY, temporaryFolder } from '../../support/store/folder.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { reading } from '../../support/store/reading.ts'
import { said, transcriptLines, type TranscriptLine } from '../../support/store/transcript-lines.ts'
import { importInto } from '../../support/transcripts/import-folder.ts'

const SESSION = '00000000-0000-4000-8000-00000000ca44'
const FILE = '/home/me/project/src/orbit.ts'

/** An answer, one line per block, with what its request read from the cache and wrote to it. */
const answered = (id: string, read: number, written: number, ...content: object[]): TranscriptLine[] =>
  content.map((block) => ({
    type: 'assistant',
    requestId: `req_${id}`,
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [block],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 3,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        output_tokens: 20,
      },
    },
  }))
const text = (value: string) => ({ type: 'text', text: value })
const result = (id: string, content: string): TranscriptLine => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
})

const LINES = transcriptLines(SESSION, [
  said('Why is the orbit wrong?'),
  ...answered(
    'msg_1',
    0,
    12_000,
    { type: 'thinking', thinking: 'I read it.', signature: 's' },
    { type: 'tool_use', id: 'call_1', name: 'Read', input: { file_path: FILE } },
    { type: 'tool_use', id: 'call_2', name: 'mcp__notes__find', input: { query: 'orbit' } },
  ),
  result('call_1', 'const g = 6.674e-11\n'.repeat(600)),
  result('call_2', 'no notes'),
  ...answered('msg_2', 12_000, 6000, text('The mass is missing.')),
  said('Fix it.'),
  ...answered('msg_3', 18_000, 200, text('Fixed.')),
  {
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    compactMetadata: { trigger: 'auto' },
  },
  { ...said('This session is being continued from a previous conversation. We fixed it.'), isCompactSummary: true },
  said('And now?'),
  ...answered('msg_4', 11_900, 300, text('Now it is right.')),
])

function written(lines: readonly string[]): string {
  const folder = join(temporaryFolder(), 'projects', '-home-me-project')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${SESSION}.jsonl`), lines.join(''))
  return folder
}

const shares = (db: string) => reading(db, (reader) => carryList(reader, { by: 'kind', limit: 50 }))

test('what imported requests carried is estimated from their transcript, and said to be', async () => {
  const db = await importInto(temporaryFolder(), [written(LINES)])
  const { items, total, estimated, unknown } = shares(db)
  expect(unknown).toMatchObject({ requests: 0 })
  expect(estimated).toEqual({ requests: 4, tokens: total.tokens, usd: total.usd })
  expect(total).toMatchObject({ requests: 4, tokens: 4 * 3 + 12_000 + 18_000 + 18_200 + 12_200 })
  const kinds = [
    'answer',
    'file_read',
    'overhead',
    'prompt',
    'setup',
    'summary',
    'thinking',
    'tool_call',
    'tool_result',
  ]
  expect(items.map(({ key }) => key).toSorted()).toEqual(kinds)
  expect(Math.abs(items.reduce((sum, { usd }) => sum + usd, 0) - total.usd)).toBeLessThan(1e-9)
  // The system prompt and the tools were in all four, after the compaction in two parts: one of them was in the cache.
  const requests = (kind: string) => items.find(({ key }) => key === kind)?.requests
  expect([requests('setup'), requests('file_read'), requests('answer'), requests('summary')]).toEqual([5, 2, 1, 1])
  expect(items.find(({ key }) => key === 'setup')?.tokens).toBeGreaterThan(4 * 11_000)
  reading(db, (reader) => {
    const keys = (by: 'tool' | 'file' | 'mcp_server') =>
      carryList(reader, { by, limit: 50 }).items.map(({ key }) => key)
    expect(keys('tool').toSorted()).toEqual(['Read', 'mcp__notes__find', null].toSorted())
    expect(keys('file')).toContain(FILE)
    expect(keys('mcp_server')).toContain('notes')
    const carried = (range: { since?: string; until?: string }) =>
      CARRY_GROUPS.map((by) =>
        carryList(reader, { by, limit: 50, ...range }).items.reduce((sum, group) => sum + group.requests, 0),
      )
    const times = reader.all<{ timestamp: string }>('SELECT timestamp FROM cache_calls ORDER BY id')
    // Both others are a part of a line.
    for (const range of [{}, { since: times[1]?.timestamp ?? '' }, { until: times[1]?.timestamp ?? '' }])
      expect(new Set(carried(range)).size).toBe(1)
    const { items: blocks, estimated: own } = carrySession(reader, { session_id: SESSION, limit: 100 })
    expect(own.requests).toBe(4)
    expect(
      blocks
        .filter(({ ended }) => !ended)
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(['prompt', 'setup', 'setup', 'summary'])
  })
  withWriter(db, (writer) => {
    const followed = contentsOfProjections(writer)
    rebuildProjections(writer, { pricing: createPricing(), hashKey: HASH_KEY })
    for (const table of ['carry_lines', 'carry_calls', 'carried', 'carry_groups'])
      expect(contentsOfProjections(writer)[table]).toEqual(followed[table])
  })
})

test.each(few([6, 10], 1))('an import that goes on after %i lines estimates the same', async (lines) => {
  const root = temporaryFolder()
  const folder = written(LINES.slice(0, lines))
  await importInto(root, [folder])
  writeFileSync(join(folder, `${SESSION}.jsonl`), LINES.join(''))
  const { items } = shares(await importInto(root, [folder]))
  const whole = shares(await importInto(temporaryFolder(), [written(LINES)])).items
  const sums = (all: typeof items) =>
    all.map(({ key, requests, usd, blocks }) => [key, requests, blocks, Number(usd.toFixed(9))]).toSorted()
  expect(sums(items)).toEqual(sums(whole))
})
