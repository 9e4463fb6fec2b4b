import { expect, test } from 'vitest'
import type { Exported } from '../../../src/main/session-page/exported.ts'
import { claudeLines } from '../../../src/main/cli/export/claude-lines.ts'
import { createTranscriptDecoder } from '../../../src/main/decode/client/claude-code/transcripts/transcript-decoder.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { recordedRuns } from '../../../src/main/decode/fixtures/recorded-runs.ts'
import { plainHash } from '../../../src/main/decode/fixtures/replay.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { reading } from '../../support/store/reading.ts'
import { liveDrafts, transcriptDrafts } from '../../support/store/recorded-stores.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

type Line = { readonly [field: string]: unknown }

interface Session {
  readonly usage: unknown
  readonly prompts: unknown
  readonly blocks: unknown
  readonly exported: readonly Exported[]
}

/** Stores drafts and reads back what a person would miss if it were lost. */
function sessionOf(drafts: readonly AnyDraft[]): Map<string, Session> {
  const { store, dbPath } = openTestStore()
  for (let at = 0; at < drafts.length; at += 200) store.ingest.append(drafts.slice(at, at + 200))
  return reading(dbPath, (reader) => {
    const ids = reader.all<{ id: string }>('SELECT id FROM sessions ORDER BY id').map(({ id }) => id)
    const all = (sql: string, id: string) => reader.all(sql, id)
    return new Map(
      ids.map((id) => {
        const exported = [...exportedOf(reader, id)]
        return [
          id,
          {
            usage: all(
              `SELECT model, count(*) AS calls, sum(input_tokens) AS input, sum(output_tokens) AS output,
               sum(cache_read_tokens) AS cache_read, sum(cache_creation_tokens) AS written,
               sum(cache_creation_1h_tokens) AS hour, sum(web_search_requests) AS searches, total(cost_usd) AS cost
             FROM api_usage WHERE session_id = ? GROUP BY model ORDER BY model`,
              id,
            ),
            prompts: exported.flatMap(({ event }) => (event.kind === 'user_prompt' ? [event.payload['text']] : [])),
            blocks: all(
              `SELECT kind, count(*) AS n FROM events WHERE session_id = ? AND kind IN
               ('thinking', 'assistant_text', 'tool_call', 'tool_result', 'compaction') GROUP BY kind ORDER BY kind`,
              id,
            ),
            exported,
          },
        ] as const
      }),
    )
  })
}

function* exportedOf(reader: Parameters<(typeof readerHandlers)['events.export']>[0], id: string): Generator<Exported> {
  let cursor: string | undefined
  do {
    const page = readerHandlers['events.export'](reader, {
      session_id: id,
      limit: 500,
      ...(cursor === undefined ? {} : { cursor }),
    })
    yield* page.items
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
}

async function linesOf(exported: readonly Exported[]): Promise<Line[]> {
  const lines: Line[] = []
  async function* events() {
    await Promise.resolve()
    yield* exported
  }
  for await (const line of claudeLines(events)) lines.push(JSON.parse(line) as Line)
  return lines
}

function reimported(lines: readonly Line[], id: string): Session | undefined {
  const decoder = createTranscriptDecoder({ path: `${id}.jsonl`, hash: plainHash })
  return sessionOf([...lines.flatMap((line) => decoder.line(JSON.stringify(line))), ...decoder.end()]).get(id)
}

/** Tokens as ccusage counts them: each answer once by its message and request ids, else each line. */
function tokensByIds(lines: readonly Line[]): number {
  const seen = new Set<string>()
  let tokens = 0
  for (const { message, requestId } of lines) {
    const { id, usage } = (message ?? {}) as { id?: string; usage?: Record<string, number> }
    if (usage === undefined) continue
    const key = typeof id === 'string' && typeof requestId === 'string' ? `${id}:${requestId}` : null
    if (key !== null && seen.has(key)) continue
    if (key !== null) seen.add(key)
    for (const name of ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'])
      tokens += usage[name] ?? 0
  }
  return tokens
}

const sum = (usage: unknown): number =>
  (usage as Record<string, number>[]).reduce(
    (all, row) => all + (row['input'] ?? 0) + (row['output'] ?? 0) + (row['cache_read'] ?? 0) + (row['written'] ?? 0),
    0,
  )

const runs = recordedRuns().filter(({ name }) => name !== 'fork')

test.each(runs.map((one) => [one.name, one] as const))(
  '%s: a re-import of its export has the same prompts, blocks, tokens and cost',
  async (_name, one) => {
    for (const drafts of [liveDrafts(one), transcriptDrafts(one)]) {
      for (const [id, session] of sessionOf(drafts)) {
        const lines = await linesOf(session.exported)
        expect(lines.length).toBeGreaterThan(0)
        const back = reimported(lines, id)
        expect(back?.usage).toEqual(session.usage)
        expect(back?.prompts).toEqual(session.prompts)
        expect(back?.blocks).toEqual(session.blocks)
        expect(tokensByIds(lines)).toBe(sum(session.usage))
      }
    }
  },
)

const AT = '2026-11-21T10:00:00.000Z'

test('version, branch, compactions, images and interruptions are on the lines', async () => {
  const at = (second: number) => ({ at: AT.replace('00.000', `0${second}.000`) })
  const image = { type: 'image', media_type: 'image/png', bytes: 68, hash: 'abc123' } as const
  const [session] = sessionOf([
    draftOf('session_started', { start: 'startup', client_version: '2.1.330' }, at(0)),
    draftOf('user_prompt', { text: 'What is this?', media: [image], git_branch: 'main' }, at(1)),
    draftOf('state_change', { name: 'interrupted', to: 'answer' }, at(2)),
    draftOf(
      'compaction',
      { trigger: 'manual', summary: 'An image was shown.', tokens_before: 900, tokens_after: 90 },
      at(3),
    ),
    draftOf('user_prompt', { text: 'Go on.' }, at(4)),
  ]).values()
  const lines = await linesOf(session?.exported ?? [])
  expect(lines).toMatchObject([
    { type: 'user', version: '2.1.330', gitBranch: 'main', parentUuid: null, message: { content: 'What is this?' } },
    { isMeta: true, message: { content: [{ text: '[Image not kept: image/png, 68 bytes, hash abc123]' }] } },
    { type: 'user', message: { content: [{ type: 'text', text: '[Request interrupted by user]' }] } },
    {
      type: 'system',
      subtype: 'compact_boundary',
      parentUuid: null,
      compactMetadata: { trigger: 'manual', preTokens: 900, postTokens: 90 },
    },
    { type: 'user', isCompactSummary: true, message: { content: expect.stringContaining('An image was shown.') } },
    { type: 'user', gitBranch: 'main', message: { content: 'Go on.' } },
  ])
  expect(lines[3]?.['logicalParentUuid']).toBe(lines[2]?.['uuid'])
  for (const at of [1, 2, 4, 5]) expect(lines[at]?.['parentUuid']).toBe(lines[at - 1]?.['uuid'])
  const back = reimported(lines, 's1')
  expect(back?.prompts).toEqual(['What is this?', 'Go on.'])
  expect(back?.blocks).toEqual([{ kind: 'compaction', n: 1 }])
})

test('commands keep their form and their output, typed words their tags, and the client’s own words are marked', async () => {
  const at = (second: number) => ({ at: AT.replace('00.000', `0${second}.000`) })
  const known = (second: number, text: string, more: object) => ({
    ...draftOf('user_prompt', { text }, { ...at(second), keys: [`line:l${second}`] }),
    ...more,
  })
  const [session] = sessionOf([
    draftOf('user_prompt', { text: '!ls', entered_as: 'shell' }, at(1)),
    draftOf('notification', { text: 'door till', level: 'command_output' }, at(2)),
    { ...known(3, 'why  here?', { source: 'wire' }) } as AnyDraft,
    { ...known(3, 'why <b> here?', {}) } as AnyDraft,
    { ...known(4, 'A sentence of a newer client.', { source: 'wire' }) } as AnyDraft,
    { ...known(4, 'A sentence of a newer client.', { sighting: { not_a_prompt: true } }) } as AnyDraft,
    draftOf('user_prompt', { text: '/review the till', entered_as: 'command' }, at(5)),
  ]).values()
  const lines = await linesOf(session?.exported ?? [])
  expect(lines.map((line) => [line['isMeta'], (line['message'] as { content: unknown }).content])).toEqual([
    [undefined, '<bash-input>ls</bash-input>'],
    [undefined, '<local-command-stdout>door till</local-command-stdout>'],
    [undefined, 'why <b> here?'],
    [true, 'A sentence of a newer client.'],
    [
      undefined,
      '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>the till</command-args>',
    ],
  ])
  expect(reimported(lines, 's1')?.prompts).toEqual(['!ls', 'why <b> here?', '/review the till'])
})

test('prompts of images and documents alone are found again, with what is known of each', async () => {
  const image = { type: 'image', media_type: 'image/png', bytes: 68, hash: 'abc123' } as const
  const paper = { type: 'document', media_type: null, bytes: 9, hash: 'def456' } as const
  const [session] = sessionOf([
    draftOf('user_prompt', { text: '', media: [image] }, { at: AT }),
    draftOf('user_prompt', { text: '', media: [paper, image] }, { at: AT.replace('00.000', '40.000') }),
    draftOf('user_prompt', { text: 'And now?' }, { at: AT.replace('00.000', '50.000') }),
  ]).values()
  const lines = await linesOf(session?.exported ?? [])
  expect(lines.map((line) => [line['isMeta'], (line['message'] as { content: unknown }).content])).toEqual([
    [undefined, [{ type: 'text', text: '[Image not kept: image/png, 68 bytes, hash abc123]' }]],
    [
      undefined,
      [
        { type: 'text', text: '[Document not kept: document, 9 bytes, hash def456]' },
        { type: 'text', text: '[Image not kept: image/png, 68 bytes, hash abc123]' },
      ],
    ],
    [undefined, 'And now?'],
  ])
  const back = reimported(lines, 's1')
  expect(back?.prompts).toEqual(['', '', 'And now?'])
  const media = back?.exported.flatMap(({ event }) => (event.kind === 'user_prompt' ? [event.payload['media']] : []))
  expect(media).toEqual([[image], [paper, image], undefined])
})
