import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { AnyEvent } from '../../../src/shared/event.ts'
import { toolResultDraft } from '../../../src/main/decode/tool-result.ts'
import { createKeyedHash } from '../../../src/main/base/keyed-hash.ts'
import {
  createPreparedPayloads,
  prepareBatch,
  withDigest,
} from '../../../src/main/store/projections/prepared-payloads.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { draftOf } from '../../support/store/seeded-store.ts'
import { contentsOfDatabase, HASH_KEY, LIMITS, openTestStore, withNamedEnds } from '../../support/store/folder.ts'

const hash = createKeyedHash(HASH_KEY)
const long = (word: string) => `${word} parseHTTPHeader src/${word}.ts `.repeat(200)

/** Drafts as an importer may send them: long and short texts, duplicates, lists that are long in total, unusual characters. */
function drafted(): AnyDraft[] {
  const call = { call_id: 'c1', tool_name: 'Bash', message_id: 'm1', index: 2 }
  const result = { call_id: 'c1', tool_name: null, is_error: false, rejected: false }
  const many = Array.from({ length: 400 }, (_, at) => `line ${at}`)
  const at = '2026-11-22T10:00:00.000Z'
  const identified = { at, text_identity: { text: long('question'), within_ms: 10_000 } }
  const drafts = [
    draftOf('user_prompt', { text: long('question') }, identified),
    draftOf('user_prompt', { text: 'short' }, { at }),
    draftOf('thinking', { text: long('thought'), signature_only: false, message_id: 'm1', index: 0 }, { at }),
    draftOf('assistant_text', { text: `${long('answer')} 数据库 é`, message_id: 'm1', index: 1 }, { at }),
    draftOf('tool_call', { ...call, input: { command: long('answer'), $content: 'no reference', many } }, { at }),
    draftOf('tool_result', { ...result, output: [long('output'), long('output'), `${long('odd')}\ud800`] }, { at }),
    draftOf('compaction', { trigger: 'auto', summary: long('end'), tokens_before: 5, tokens_after: null }, { at }),
  ]
  return drafts.map((draft, place) => ({
    ...draft,
    uuid: `00000000-0000-7000-8000-00000000000${place}`,
    keys: [`line:${place}`],
  }))
}

/** Transfers a batch as another thread would. */
function sent(drafts: readonly AnyDraft[]) {
  return structuredClone({
    drafts: drafts.map((draft) => withDigest(draft, hash)),
    batch: prepareBatch(drafts, hash),
  })
}

function storedBy(
  limits: typeof LIMITS,
  append: (store: Store, prepared: ReturnType<typeof createPreparedPayloads>) => void,
) {
  const prepared = createPreparedPayloads()
  const { store, dbPath } = openTestStore({ limits, prepared, now: () => Date.UTC(2026, 10, 22) })
  append(store, prepared)
  store.close()
  return withNamedEnds(contentsOfDatabase(dbPath))
}

test.each([
  ['nothing is left out', LIMITS],
  ['texts are cut', { ...LIMITS, max_thinking_size: 2000, max_prompt_size: 1500 }],
  ['kinds of texts are left out', { ...LIMITS, store_thinking: false, store_tool_io: false }],
])('prepared and unprepared payloads produce the same database, byte for byte: %s', (_, limits) => {
  const alone = storedBy(limits, (store) => store.ingest.append(drafted()))
  const prepared = storedBy(limits, (store, payloads) => {
    const { drafts, batch } = sent(drafted())
    payloads.take(drafts, batch)
    store.ingest.append(drafts)
  })
  expect(prepared).toEqual(alone)
})

test('a payload that a processor changed is written as changed', () => {
  const accept = (event: AnyEvent): AnyEvent =>
    event.kind === 'user_prompt'
      ? { ...event, payload: { ...event.payload, text: event.payload.text.replaceAll('question', 'riddle') } }
      : event
  const alone = storedBy(LIMITS, (store) => store.ingest.append(drafted(), accept))
  const prepared = storedBy(LIMITS, (store, payloads) => {
    const { drafts, batch } = sent(drafted())
    payloads.take(drafts, batch)
    store.ingest.append(drafts, accept)
  })
  expect(prepared).toEqual(alone)
  expect(JSON.stringify(prepared)).toContain('riddle')
})

test('what a processor removed from a result is not stored with its sighting', () => {
  const at = { source: 'wire', session_id: 's', agent_id: null, ts_wall: '2026-11-22T10:00:00.000Z' } as const
  const facts = { callId: 'c1', toolName: 'Bash', content: 'a private matter', isError: false }
  const result = toolResultDraft({ ...at, ts_monotonic: null }, facts, hash)
  const accept = (event: AnyEvent): AnyEvent =>
    event.kind === 'tool_result' ? { ...event, payload: { ...event.payload, output: 'left out' } } : event
  const written = JSON.stringify(storedBy(LIMITS, (store) => store.ingest.append([result], accept)))
  expect(written).toContain('left out')
  expect(written).not.toContain('private matter')
})

test('the prepared form of a payload is what is written', () => {
  const json = '{"text":"from afar"}'
  const written = storedBy(LIMITS, (store, payloads) => {
    const { drafts, batch } = sent(drafted())
    const data = Buffer.concat([batch.data, Buffer.from(json)])
    payloads.take(drafts, {
      data,
      payloads: batch.payloads.map((payload) => ({ ...payload, json: [batch.data.length, data.length] })),
    })
    store.ingest.append(drafts)
  }) as { events: { payload: string }[] }
  const end = '{"reason":"next_prompt","last_text":null}'
  expect(written.events.map(({ payload }) => payload)).toEqual(
    drafted()
      .map(() => json)
      .toSpliced(2, 0, end),
  )
})
