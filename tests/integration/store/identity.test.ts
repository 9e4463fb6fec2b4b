import { describe, expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { decodeHook } from '../../../src/main/decode/client/claude-code/hooks/decode-hook.ts'
import { assistant, common, decode, user } from '../../../src/main/decode/fixtures/transcript-lines.ts'
import type { Store } from '../../../src/main/store/store.ts'
import type { EventSource, JsonObject } from '../../../src/shared/event.ts'
import { openTestStore, readStore } from '../../support/store/folder.ts'
import { blockFact, commonFields, resultFact, timeAt } from '../../support/store/history.ts'
import { requestDrafts } from '../../support/store/requests.ts'

const MINUTE = 60_000

const read = (dbPath: string, sql: string): unknown[] => readStore(dbPath, (db) => db.prepare(sql).raw().all())

/** The natural keys of each event, without those of texts: which reports became one. */
const groups = (dbPath: string): string[][] =>
  read(dbPath, "SELECT e.id, k.key FROM events e JOIN event_keys k ON k.uuid = e.uuid WHERE k.key NOT GLOB 'text:*'")
    .map((row) => row as [number, string])
    .reduce<string[][]>((all, [id, key]) => {
      ;(all[id] ??= []).push(key)
      return all
    }, [])
    .filter((keys) => keys !== undefined)
    .map((keys) => keys.toSorted())

/** Groups with the end of each turn behind the prompt that ended it: those of the first ones, each by the next. */
const withEnds = (prompts: readonly string[][], from = 1): string[][] =>
  prompts.flatMap((keys, at) => (at < from ? [keys] : [keys, [`ended-before:s:${at - from + 1}`]]))

/** Appends each draft by itself. */
function tell(store: Store, ...drafts: readonly AnyDraft[]): void {
  for (const draft of drafts) store.ingest.append([draft])
}

/** A prompt, known within ten seconds by its text. */
function prompt(source: EventSource, atMs: number, key: string, more: Partial<AnyDraft> = {}): AnyDraft {
  const identity = { text_identity: { text: 'continue', within_ms: 10_000 }, parents: [] }
  const common = { ...commonFields(source, 's', atMs), ...identity, keys: [key] }
  return { ...common, kind: 'user_prompt', payload: { text: 'continue' }, ...more } as AnyDraft
}

function note(session: string, atMs: number, key: string, more: Partial<AnyDraft> = {}): AnyDraft {
  const common = { ...commonFields('hook', session, atMs), keys: [key], parents: [] }
  return { ...common, kind: 'notification', payload: { text: key }, ...more } as AnyDraft
}

/** Entries of a request's history: prompts (`>text`) and answers. */
const shown = (
  session: string,
  exchange: string,
  atMs: number,
  texts: readonly string[],
  agent: string | null = null,
) =>
  texts.map((line, at) => {
    const isPrompt = line.startsWith('>')
    const text = isPrompt ? line.slice(1) : line
    return {
      ...commonFields('wire', session, atMs, agent),
      kind: isPrompt ? 'user_prompt' : 'assistant_text',
      payload: { text, seen_in_history: true, ...(isPrompt ? {} : { message_id: null, index: 0 }) },
      keys: [naturalKey.history(exchange, at, 0)],
      text_identity: { text, within_ms: null },
      parents: [],
    } as AnyDraft
  })

describe('prompts known by their text and time', () => {
  test('a prompt that a session repeats is known by when any source saw it', () => {
    const { store, dbPath } = openTestStore()
    const moments = [0, 30, 31, 60].map((minute) => minute * MINUTE)
    tell(store, ...moments.map((atMs) => prompt('transcript', atMs, `line:${atMs}`)))
    tell(store, ...moments.map((atMs) => prompt('hook', atMs + 8000, `hook:${atMs}`)))
    // Within ten seconds of the hook's report only.
    tell(store, prompt('wire', 30 * MINUTE + 16_000, 'wire:a'))
    tell(store, prompt('wire', 45 * MINUTE, 'wire:b'))
    const joined = moments.map((atMs) => [`hook:${atMs}`, `line:${atMs}`])
    joined[1]?.push('wire:a')
    expect(groups(dbPath)).toEqual(withEnds([...joined, ['wire:b']]))
  })

  test.each([
    ['at the end of the window they are one', 10_000, [['hook:a', 'line:a']]],
    ['a millisecond later they are two', 10_001, [['hook:a'], ['line:a']]],
    ['a millisecond before it they are two', -10_001, [['hook:a'], ['line:a']]],
  ])('%s', (_, atMs, expected) => {
    const { store, dbPath } = openTestStore()
    tell(store, prompt('hook', 0, 'hook:a'), prompt('transcript', atMs, 'line:a'))
    expect(groups(dbPath)).toEqual(expected)
  })

  test.each([
    ['a', 3900],
    ['b', 4100],
  ])('of two within the window, the closer one (%s)', (closer, atMs) => {
    const { store, dbPath } = openTestStore()
    tell(store, prompt('hook', 0, 'hook:a'), prompt('hook', 8000, 'hook:b'), prompt('transcript', atMs, 'line:x'))
    const expected = [['hook:a'], ['hook:b']].map((keys) => (keys[0] === `hook:${closer}` ? [...keys, 'line:x'] : keys))
    expect(groups(dbPath)).toEqual(expected)
  })

  test.each([
    ['five minutes later, it is the retry', 5 * MINUTE, [], 1],
    ['after more than five minutes, it is another prompt', 5 * MINUTE + 1, [], 2],
    ['after another prompt, it is another one too', MINUTE, [prompt('hook', 30_000, 'hook:b')], 3],
  ])('sent again without an answer: %s', (_, atMs, between, events) => {
    const { store, dbPath } = openTestStore()
    const other = between.map((draft) => ({ ...draft, text_identity: { text: 'else', within_ms: 10_000 } }) as AnyDraft)
    const sent = [0, atMs].map((at) => prompt('wire', at, naturalKey.wirePrompt(`x${at}`, 0)))
    tell(store, ...sent.slice(0, 1), ...other, ...sent.slice(1))
    expect(read(dbPath, "SELECT 1 FROM events WHERE kind = 'user_prompt'")).toHaveLength(events)
  })

  test("the client's list of prompts and its transcript are one source that reports a prompt twice", () => {
    const { store, dbPath } = openTestStore()
    tell(store, prompt('transcript', 0, 'prompt-history:1'), prompt('transcript', 10, 'line:a'))
    tell(store, prompt('transcript', 20, 'line:b'))
    expect(groups(dbPath)).toEqual(withEnds([['line:a', 'prompt-history:1'], ['line:b']]))
  })

  test('two lines of one moment are two, also after a restart; a line without a key is known by its moment', () => {
    const { store, folder, dbPath } = openTestStore()
    tell(store, prompt('transcript', 0, 'line:a', { uuid: 'a' }), prompt('transcript', 0, 'line:b', { uuid: 'b' }))
    tell(store, prompt('transcript', MINUTE, 'old:c'))
    store.close()
    const { store: again } = openTestStore({ dataDir: folder })
    tell(again, prompt('transcript', 0, 'line:c', { uuid: 'c' }), prompt('transcript', MINUTE, 'line:d'))
    tell(again, prompt('transcript', MINUTE + 1, 'line:e'), prompt('transcript', 0, 'line:a', { uuid: 'a' }))
    expect(groups(dbPath)).toEqual(withEnds([['line:a'], ['line:b'], ['line:d', 'old:c'], ['line:c'], ['line:e']]))
  })
})

describe('texts in histories', () => {
  test('one history takes each event once; the next one finds them all again, also in one batch', () => {
    const { store, dbPath } = openTestStore()
    const of = (exchange: string, atMs: number) => shown('s', exchange, atMs, ['>go', 'OK', 'OK', '>go', 'OK'])
    const place = (exchange: string) => of(exchange, 0).flatMap(({ keys }) => keys)
    store.ingest.append([...of('x', 1000), ...of('y', 2000)])
    store.ingest.append(of('z', 3000))
    expect(groups(dbPath)).toEqual(
      [0, 1, 2, 3, 4].map((at) => ['x', 'y', 'z'].map((exchange) => place(exchange)[at] ?? '')),
    )
    expect(read(dbPath, "SELECT substr(key, -6), count(*) FROM key_rows WHERE key GLOB 'text:*' GROUP BY 1")).toEqual([
      ['000001', 2],
      ['000002', 2],
      ['000003', 1],
    ])
  })

  test('an occurrence that one draft could not be is left for the next', () => {
    const { store, dbPath } = openTestStore()
    const [streamed, named] = ['m1', 'm2'].flatMap((message) =>
      blockFact('s', message, 0, 1000, { text: 'OK' }, []).reports.slice(0, 1),
    ) as [AnyDraft, AnyDraft]
    tell(store, streamed)
    store.ingest.append([named, ...shown('s', 'x', 1000, ['OK'])])
    expect(groups(dbPath)).toEqual([['block:m1:0', 'exchange:x:history:0:0'], ['block:m2:0']])
  })
})

describe('a fork known by its history', () => {
  const TEXTS = ['>Which port?', 'It is 2779.', '>again', 'OK', '>again', 'OK']
  const own = (session: string) => note(session, 90_000, `note:${session}`)
  const counts = (dbPath: string) =>
    read(dbPath, "SELECT session_id, count(*) FROM events WHERE kind <> 'notification' GROUP BY 1 ORDER BY 1")
  const copies = (dbPath: string, session: string) =>
    read(dbPath, `SELECT count(DISTINCT event_id) FROM sighting_rows WHERE other_session_id = '${session}'`).flat()[0]

  test('copies nothing, equal texts included, and neither does a fork of the fork after a restart', () => {
    const { store, folder, dbPath } = openTestStore()
    store.ingest.append(shown('a', 'x', 1000, TEXTS))
    store.ingest.append([...shown('b', 'y', 2000, TEXTS), ...shown('b', 'y2', 3000, [])])
    store.ingest.append([own('b'), ...shown('b', 'z', 4000, [...TEXTS, '>Go on.', 'Going on.'])])
    expect(counts(dbPath)).toEqual([
      ['a', 6],
      ['b', 2],
    ])
    store.close()
    const { store: again } = openTestStore({ dataDir: folder })
    again.ingest.append(shown('c', 'v', 5000, [...TEXTS, '>Go on.', 'Going on.']))
    expect(counts(dbPath)).toEqual([
      ['a', 6],
      ['b', 2],
    ])
    expect([copies(dbPath, 'b'), copies(dbPath, 'c')]).toEqual([6, 8])
  })

  test.each([
    ['a history with a text that the other never had', [...TEXTS, 'Never said.'], [] as AnyDraft[]],
    [
      "an agent's history",
      [] as string[],
      shown('b', 'y', 2000, TEXTS, 'agent-1').map((draft) => ({ ...draft, agent_id: 'agent-1' }) as AnyDraft),
    ],
  ])('%s makes no fork', (_, texts, given) => {
    const { store, dbPath } = openTestStore()
    store.ingest.append(shown('a', 'x', 1000, TEXTS))
    const history = [...shown('b', 'y', 2000, texts), ...given]
    store.ingest.append(history)
    expect(counts(dbPath)).toEqual([
      ['a', 6],
      ['b', history.length],
    ])
  })

  test('a session that sent a request before copies nothing, and from a deleted one nothing is copied', () => {
    const { store, dbPath } = openTestStore()
    store.ingest.append(shown('a', 'x', 1000, TEXTS))
    store.ingest.append(requestDrafts(store, 'b', 1, 500, 'first'))
    store.ingest.append(shown('b', 'y', 2000, TEXTS))
    expect(copies(dbPath, 'b')).toBe(0)
    store.removal.deleteSession('a')
    store.removal.deleteSession('b')
    store.ingest.append(shown('c', 'z', 3000, TEXTS))
    expect(counts(dbPath)).toEqual([['c', 6]])
  })

  test('comes from the session that said most of it, and its compaction is the other one', () => {
    const { store, dbPath } = openTestStore()
    const summary = (session: string): AnyDraft => ({
      ...commonFields('wire', session, 2000),
      kind: 'compaction',
      payload: { trigger: 'auto', summary: 'so far', tokens_before: null, tokens_after: null },
      keys: [`compaction:${session}:abc`],
      parents: [],
    })
    const [call] = blockFact('few', 'm1', 0, 500, { call: 'c1', input: {} }, []).reports as [AnyDraft]
    store.ingest.append([...shown('few', 'w', 400, TEXTS.slice(0, 1)), call])
    store.ingest.append([summary('most'), ...shown('most', 'x', 1000, TEXTS)])
    const asShown = { ...call, session_id: 'b', ts_wall: summary('b').ts_wall } as AnyDraft
    const payload = { ...asShown.payload, seen_in_history: true }
    store.ingest.append([summary('b'), { ...asShown, payload } as AnyDraft, ...shown('b', 'y', 2000, TEXTS)])
    expect(read(dbPath, "SELECT count(*) FROM events WHERE session_id = 'b'")).toEqual([[0]])
    const told = 'SELECT e.session_id, e.kind, count(*) FROM sighting_rows s JOIN events e ON e.id = s.event_id'
    expect(read(dbPath, `${told} WHERE s.other_session_id = 'b' GROUP BY 1, 2 ORDER BY 1, 2`)).toEqual([
      ['few', 'tool_call', 1],
      ['most', 'assistant_text', 3],
      ['most', 'compaction', 1],
      ['most', 'user_prompt', 3],
    ])
  })

  test('a copied line is the fact of its original, whichever is read first', () => {
    const { store, dbPath } = openTestStore()
    const line = prompt('transcript', 0, 'line:a', { session_id: 'a' })
    tell(store, { ...line, session_id: 'b', copied_from: 'a' } as AnyDraft, line)
    expect(read(dbPath, 'SELECT session_id FROM events')).toEqual([['a']])
    expect(read(dbPath, 'SELECT session_id FROM sightings ORDER BY 1')).toEqual([['a'], ['b']])
  })
})

describe('compactions of one session with equal summaries', () => {
  const KEY = 'compaction:s:abc'
  const compaction = (source: EventSource, atMs: number, ...keys: readonly string[]): AnyDraft => ({
    ...commonFields(source, 's', atMs),
    kind: 'compaction',
    payload: { trigger: 'manual', summary: 'so far', tokens_before: null, tokens_after: null },
    keys: [...keys, KEY],
    parents: source === 'transcript' ? [`command:${KEY}`] : [],
  })
  const command = (source: EventSource, atMs: number, key: string): AnyDraft =>
    prompt(source, atMs, key, { keys: [key, `command:${KEY}`] })
  const live = [1, 2, 3].flatMap((n) => [
    compaction('wire', n * MINUTE, `block:m${n}:0`),
    compaction('hook', n * MINUTE + 5),
    compaction('wire', n * MINUTE + 900),
    command('wire', n * MINUTE + 900, `exchange:x${n}:prompt:0`),
    compaction('wire', n * MINUTE + 2000),
  ])
  const hookFirst = live.map((_, at) => live[at % 5 < 2 ? at + 1 - 2 * (at % 5) : at] ?? compaction('hook', 0))
  const lines = [1, 2, 3].flatMap((n) => [
    compaction('transcript', n * MINUTE + 10, `line:s${n}`),
    command('transcript', n * MINUTE + 1, `line:c${n}`),
  ])
  const copies = [1, 2, 3].map((n) => compaction('transcript', n * MINUTE + 10, `line:copy${n}`))

  test.each([
    ['live', live],
    ['live, hooks first', hookFirst],
    ['imported', lines],
    ['imported twice', [...lines, ...lines]],
    ['imported with a copy under other ids', [...lines, ...copies]],
    ['live, then imported', [...live, ...lines]],
    ['imported, then live', [...lines, ...live]],
    [
      'followed',
      live.flatMap((draft, at) => (at % 5 === 4 ? [draft, ...lines.slice(((at - 4) / 5) * 2)].slice(0, 3) : [draft])),
    ],
  ])('are as many as there were, each with its command: %s', (_, drafts) => {
    const { store, dbPath } = openTestStore()
    tell(store, ...drafts)
    expect(read(dbPath, 'SELECT kind, count(*) FROM events GROUP BY kind ORDER BY kind')).toEqual([
      ['compaction', 3],
      ['turn_ended', 2],
      ['user_prompt', 3],
    ])
    const named = `SELECT e.kind, count(DISTINCT e.id) FROM events e JOIN event_keys k ON k.uuid = e.uuid
      WHERE k.key IN ('${KEY}#2', 'command:${KEY}#2') GROUP BY e.kind ORDER BY e.kind`
    expect(read(dbPath, named)).toEqual([
      ['compaction', 1],
      ['user_prompt', 1],
    ])
  })
})

test('a prompt that another hook blocked is taken back, and an equal one that was sent stays', () => {
  const { store, dbPath } = openTestStore()
  const content = 'UserPromptSubmit operation blocked by hook:\n[./guard]: No.\n\n\nOriginal prompt: continue'
  const blocked = (uuid: string, atMs: number) =>
    decode([
      {
        type: 'system',
        subtype: 'informational',
        level: 'warning',
        sessionId: 's',
        uuid,
        timestamp: commonFields('transcript', 's', atMs).ts_wall,
        content,
      },
    ])
  tell(store, prompt('hook', 1000, 'spool:1'), ...blocked('b1', 1500))
  tell(store, prompt('hook', MINUTE, 'spool:2'))
  tell(store, ...blocked('b1', 1500), ...blocked('b2', 5 * MINUTE))
  expect(read(dbPath, 'SELECT content, timestamp FROM user_prompts')).toEqual([
    ['continue', commonFields('hook', 's', MINUTE).ts_wall],
  ])
  expect(read(dbPath, "SELECT count(*) FROM events WHERE kind = 'notification'")).toEqual([[2]])
})

test.each(['Operation stopped by hook: No.', 'Operation stopped by hook', '(Re-invocation of /x)', 'mine'])(
  'a sentence of the client that an older version stored as a prompt is taken back: %s',
  (text) => {
    const { store, dbPath } = openTestStore()
    const { ts_wall: timestamp } = commonFields('transcript', 's', 1000)
    tell(store, prompt('transcript', 1000, 'line:u1', { payload: { text } } as Partial<AnyDraft>))
    tell(store, ...decode([{ type: 'user', sessionId: 's', uuid: 'u1', timestamp, message: { content: text } }]))
    expect(read(dbPath, 'SELECT content FROM user_prompts')).toEqual(text === 'mine' ? [['mine']] : [])
  },
)

describe('a turn that the client stopped', () => {
  const stopped = (attachment: object, atMs: number, uuid = 'a1') => {
    const { ts_wall } = commonFields('transcript', 's', atMs)
    return decode([{ type: 'attachment', sessionId: 's', uuid, timestamp: ts_wall, attachment } as JsonObject])
  }
  const ended = (atMs: number) =>
    decodeHook(
      { hook_event_name: 'SessionEnd', session_id: 's', reason: 'other' },
      { wall: Date.parse(timeAt(atMs)), at: atMs },
    ).map((draft, at) => ({ ...draft, keys: [`end:${atMs}:${at}`] }))
  const ends = (dbPath: string) =>
    read(
      dbPath,
      "SELECT e.turn_id, json_extract(e.payload, '$.reason') FROM events e WHERE e.kind = 'turn_ended' ORDER BY e.id",
    )

  test.each([
    ['at its limit of turns', { type: 'max_turns_reached', maxTurns: 2, turnCount: 3 }, 'max_turns'],
    ['by a hook', { type: 'hook_stopped_continuation', hookEvent: 'PostToolUse', message: 'No.' }, 'hook_stopped'],
  ])('%s ends once, whoever tells of it', (_, attachment, reason) => {
    const { store, dbPath } = openTestStore()
    tell(
      store,
      prompt('wire', 1000, 'p1'),
      prompt('transcript', 1000, 't1'),
      ...stopped(attachment, 3000),
      ...stopped(attachment, 3001, 'a2'),
    )
    tell(store, ...stopped(attachment, 3000), ...ended(3500))
    tell(
      store,
      prompt('wire', MINUTE, 'p2'),
      prompt('transcript', MINUTE, 't2'),
      ...stopped(attachment, MINUTE + 1000, 'a3'),
    )
    expect(ends(dbPath)).toEqual([
      [1, reason],
      [2, reason],
    ])
  })

  test('ends with its session if only the hook tells of it, and no turn ends twice', () => {
    const { store, dbPath } = openTestStore()
    tell(store, prompt('wire', 1000, 'p1'), ...ended(3000))
    const stop = { ...commonFields('hook', 's', MINUTE + 500), kind: 'turn_ended', keys: ['stop'], parents: [] }
    tell(store, prompt('wire', MINUTE, 'p2'), { ...stop, payload: { reason: 'end_turn', last_text: 'a' } } as AnyDraft)
    tell(store, ...ended(2 * MINUTE))
    expect(ends(dbPath)).toEqual([
      [1, 'session_ended'],
      [2, 'end_turn'],
    ])
  })
})

describe('the turn of a prompt that only a hook told of', () => {
  const asked = (source: EventSource, text: string, atMs: number) =>
    prompt(source, atMs, `${source}:${text}`, {
      payload: { text },
      text_identity: { text, within_ms: 10_000 },
    } as Partial<AnyDraft>)
  const ends = (dbPath: string) =>
    read(dbPath, "SELECT turn_id, payload ->> 'reason' FROM events WHERE kind = 'turn_ended' ORDER BY id")

  test('goes on when its request comes, however long it waited, and whatever waits behind it', () => {
    const { store, dbPath } = openTestStore()
    const sent = { ...asked('wire', 'one', MINUTE), keys: ['exchange:e2:prompt:0'] } as AnyDraft
    tell(store, asked('wire', 'first', 0), asked('hook', 'one', 3000), asked('hook', 'two', 6000), sent)
    const prompts = read(
      dbPath,
      "SELECT turn_id, payload ->> 'text' FROM events WHERE kind = 'user_prompt' ORDER BY id",
    )
    expect(prompts).toEqual([
      [1, 'first'],
      [2, 'one'],
      [3, 'two'],
    ])
    expect(ends(dbPath)).toEqual([[1, 'next_prompt']])
  })

  test.each([
    ['a later request', [asked('wire', 'sent', 9000)]],
    ['the request of a later prompt', [asked('hook', 'sent', 8000), asked('wire', 'sent', 9000)]],
  ])('ends when %s shows that it was not sent', (_, later) => {
    const { store, dbPath } = openTestStore()
    tell(store, asked('wire', 'first', 0), asked('hook', 'one', 3000), asked('hook', 'two', 6000), ...later)
    // Once, whatever comes later.
    tell(store, asked('wire', 'more', 20_000))
    expect(ends(dbPath)).toEqual([
      [2, 'not_sent'],
      [3, 'not_sent'],
      [1, 'next_prompt'],
      [4, 'next_prompt'],
    ])
  })

  const leave = (atMs: number, reason: string): AnyDraft => {
    const common = { ...commonFields('hook', 's', atMs), keys: ['end:s'], parents: [] }
    return { ...common, kind: 'session_ended', payload: { reason } }
  }

  test.each([
    ['wire', 'clear', ['before', 'again']],
    ['transcript', 'clear', ['before', 'again']],
    ['wire', 'resume', ['before', 'again']],
    // A person who left the client and types it again elsewhere typed it twice.
    ['wire', 'prompt_input_exit', ['before', 'again', 'again', 'queued']],
    // So did one who works in two projects.
    ['transcript', 'clear', ['before', 'again', 'again', 'queued'], '/home/ada/orbital'],
  ] as const)(
    'was sent in the next session (%s), which began by %s',
    (source, reason, remaining, project = undefined) => {
      const { store, dbPath } = openTestStore()
      tell(store, asked('wire', 'before', 0), asked('wire', 'again', 2000), asked('hook', 'again', 60_000))
      // The headers of an answer come in the newest turn, whichever it answers.
      const limits = { ...commonFields('wire', 's', 62_000), keys: ['limits'], parents: [], payload: { limits: {} } }
      tell(store, asked('hook', 'queued', 61_000), { ...limits, kind: 'rate_limit' }, leave(70_000, reason))
      for (const text of ['again', 'queued'])
        tell(store, {
          ...asked(source, text, 80_000),
          ...(project && { project }),
          session_id: 'next',
          keys: [`next:${text}`],
        })
      const prompts = 'SELECT content FROM user_prompts WHERE session_id = ? ORDER BY timestamp, id'
      const of = (session: string) =>
        readStore(dbPath, (db) => db.prepare<[string], string>(prompts).pluck().all(session))
      expect(of('s')).toEqual(remaining)
      expect(of('next')).toEqual(['again', 'queued'])
    },
  )

  test('goes on if its request came, or nothing shows that none comes', () => {
    const { store, dbPath } = openTestStore()
    tell(
      store,
      asked('hook', 'one', 0),
      asked('wire', 'one', 100),
      asked('hook', 'two', 3000),
      asked('hook', 'x', 4000),
    )
    tell(store, asked('transcript', 'two', 3000), asked('wire', 'x', 4100))
    // Ended by those behind them, not taken back.
    expect(ends(dbPath)).toEqual([
      [1, 'next_prompt'],
      [2, 'next_prompt'],
    ])
  })
})

describe('an event without a key of its own', () => {
  test('is known by its uuid in its own session only', () => {
    const { store, dbPath } = openTestStore()
    const bare = (session: string) => ({ ...note(session, 0, ''), keys: [], uuid: 'u' }) as AnyDraft
    tell(store, bare('s'), bare('s'), bare('other'))
    expect(read(dbPath, "SELECT session_id, uuid = 'u' FROM events ORDER BY id")).toEqual([
      ['s', 1],
      ['other', 0],
    ])
  })

  test('that describes a session is stored with the newest event before it, of that session alone', () => {
    const { store, dbPath } = openTestStore()
    tell(store, note('s', 1000, 'k:1'), note('s', 5000, 'k:2'), note('other', 1000, 'k:other'))
    const about = (key: string, of: string) =>
      note('s', 2000, key, { kind: 'state_change', sighting_of: [of] } as never)
    tell(store, about('k:about', naturalKey.newestOf('s')), about('k:foreign', 'k:other'))
    expect(groups(dbPath)).toEqual([['k:1', 'k:about'], ['k:2'], ['k:other'], ['k:foreign']])
  })
})

describe('the place of an event', () => {
  const placeOf = (store: Store, draft: AnyDraft) => {
    const [added] = store.ingest.append([draft]).added
    return added?.event
  }

  test('goes on after a restart: sequence, prompt, project and account', () => {
    const { store, folder, dbPath } = openTestStore()
    const first = placeOf(store, prompt('hook', 0, 'prompt:a'))
    tell(store, note('s', 100, 'k:1'), { ...note('s', 100, 'k:who'), account: 'ada' } as AnyDraft)
    store.close()
    const { store: again } = openTestStore({ dataDir: folder })
    const next = placeOf(again, { ...note('s', 200, 'k:2'), project: null } as AnyDraft)
    const place = { turn_id: 1, seq: 3, parent_uuid: first?.uuid }
    expect(next).toMatchObject({ ...place, project: '/home/ada/orbit', user_id: 'ada' })
    expect(placeOf(again, note('s', 300, 'k:end', { kind: 'session_ended' } as never))?.parent_uuid).toBeNull()
    expect(placeOf(again, prompt('hook', MINUTE, 'prompt:b'))).toMatchObject({ turn_id: 2, seq: 0 })
    expect(read(dbPath, 'SELECT count(*) - count(DISTINCT turn_id * 1000 + seq) FROM events')).toEqual([[0]])
  })

  test("is the turn of its parent, if that is its own session's", () => {
    const { store } = openTestStore()
    tell(store, prompt('hook', 0, 'prompt:a'))
    tell(store, ...blockFact('s', 'm1', 0, 10, { call: 'c1', input: {} }, ['prompt:a']).reports.slice(0, 1))
    tell(store, prompt('hook', MINUTE, 'prompt:b'))
    const [late] = resultFact('s', 'c1', 'a.css', 2 * MINUTE).reports as [AnyDraft]
    expect(placeOf(store, late)?.turn_id).toBe(1)
    tell(store, prompt('hook', 0, 'prompt:z', { session_id: 'z' }))
    expect(placeOf(store, note('z', 10, 'k:z', { parents: ['prompt:b'] }))?.turn_id).toBe(1)
  })

  test('of an agent hangs from its start, and the best parent is awaited', () => {
    const { store, dbPath } = openTestStore()
    tell(store, prompt('hook', 0, 'prompt:a'))
    const payload = { agent_id: 'g', agent_type: null, parent_agent_id: null, call_id: null }
    const start = note('s', 5, naturalKey.agentStart('g'), { agent_id: 'g', kind: 'agent_started', payload } as never)
    const started = placeOf(store, start)
    expect(placeOf(store, note('s', 10, 'k:1', { agent_id: 'g', parents: ['k:late'] }))?.parent_uuid).toBe(
      started?.uuid,
    )
    expect(read(dbPath, "SELECT key FROM parent_keys WHERE key = 'k:late'")).toEqual([['k:late']])
  })

  describe('of a notice of work in the background', () => {
    const notice =
      '<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>c1</tool-use-id>\n<status>completed</status>'
    const told = `${notice}\n<summary>Background command "x" completed</summary>\n</task-notification>`
    const at = (second: number) => ({ timestamp: `2026-11-01T10:00:${String(second).padStart(2, '0')}.000Z` })
    const ended = { stop_reason: 'end_turn' }
    const call = { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'make', run_in_background: true } }
    const says = (text: string) => [{ type: 'text', text }]
    const begun = [
      user('p1', null, 'Start', at(0)),
      assistant('a1', 'p1', 'm1', [call], at(1), { stop_reason: 'tool_use' }),
      user('r1', 'a1', [{ type: 'tool_result', tool_use_id: 'c1', content: 'running' }], at(2)),
    ]
    const turnsOf = (lines: readonly JsonObject[]) => {
      const { store, dbPath } = openTestStore()
      for (const draft of decode(lines)) store.ingest.append([draft])
      const sql = `SELECT turn_id, group_concat(kind, ' ') FROM (SELECT * FROM events WHERE kind IN
        ('user_prompt', 'notification', 'assistant_text', 'turn_ended') ORDER BY turn_id, seq) GROUP BY turn_id`
      return read(dbPath, sql)
    }

    test('that comes between two turns begins one, which ends once', () => {
      const lines = [
        ...begun,
        assistant('a2', 'r1', 'm2', says('It runs.'), at(3), ended),
        user('n1', 'a2', told, at(40)),
        assistant('a3', 'n1', 'm3', says('It is done.'), at(41), ended),
        user('p2', 'a3', 'Go on', at(50)),
        assistant('a4', 'p2', 'm4', says('Gone on.'), at(51), ended),
        user('n2', 'a4', told.replace('b1', 'b2'), at(55)),
        user('n3', 'n2', told.replace('b1', 'b3'), at(56)),
        assistant('a5', 'n3', 'm5', says('Both are done.'), at(57), ended),
      ]
      const whole = 'assistant_text turn_ended'
      expect(turnsOf(lines)).toEqual([
        [1, `user_prompt ${whole}`],
        [2, `notification ${whole}`],
        [3, `user_prompt ${whole}`],
        [4, `notification notification ${whole}`],
      ])
    })

    test('that the client passes on in a turn is a part of it', () => {
      const queued = { ...common, ...at(3), type: 'attachment', uuid: 'q1', parentUuid: 'r1' }
      const attachment = { type: 'queued_command', commandMode: 'task-notification', prompt: told }
      const lines = [...begun, { ...queued, attachment }, assistant('a2', 'q1', 'm2', says('Done.'), at(4), ended)]
      expect(turnsOf(lines)).toEqual([[1, 'user_prompt notification assistant_text turn_ended']])
    })
  })

  test('follows a prompt that a transcript reported first', () => {
    const { store } = openTestStore()
    const other = (source: EventSource, atMs: number, key: string) =>
      prompt(source, atMs, key, { text_identity: { text: 'older', within_ms: 10_000 } } as never)
    tell(store, prompt('hook', MINUTE, 'prompt:a'), other('transcript', 0, 'prompt:b'))
    expect(placeOf(store, note('s', MINUTE + 1, 'k:1'))?.turn_id).toBe(1)
    tell(store, other('hook', 1, 'prompt:b'))
    expect(placeOf(store, note('s', MINUTE + 2, 'k:2'))?.turn_id).toBe(2)
  })

  test('is not that of an event that was rolled back, nor hangs from it', () => {
    const { store } = openTestStore()
    tell(store, note('s', 0, 'k:0'))
    let calls = 0
    const failing = (event: never) => {
      calls += 1
      if (calls === 2) throw new Error('a step fails')
      return event
    }
    expect(() => store.ingest.append([prompt('hook', 1, 'prompt:a'), note('s', 2, 'k:2')], failing as never)).toThrow(
      'a step fails',
    )
    expect(placeOf(store, note('s', 3, 'k:3', { parents: ['prompt:a'] }))).toMatchObject({
      turn_id: 0,
      parent_uuid: null,
    })
    expect(placeOf(store, prompt('hook', 4, 'prompt:a'))).toMatchObject({ turn_id: 1, seq: 0 })
  })
})

describe('what a further report adds', () => {
  const sightings = (dbPath: string) =>
    read(dbPath, 'SELECT source, session_id, payload FROM sightings ORDER BY id').map((row) => {
      const [source, session, json] = row as [string, string, string | null]
      return [source, session, json === null ? null : (JSON.parse(json) as unknown)]
    })

  test('is noted once for each source and session, without what is known', () => {
    const { store, dbPath } = openTestStore()
    const told = (source: EventSource, session: string, more: Partial<AnyDraft> = {}) =>
      ({ ...prompt(source, 0, 'prompt:a', more), session_id: session, project: null, account: null }) as AnyDraft
    const named = { payload: { text: 'continue', prompt_id: 'a' } } as never
    tell(store, told('wire', 's'))
    const again = [told('hook', 's', named), told('transcript', 's'), told('hook', 'fork')]
    for (const draft of [...again, ...again, told('wire', 's')])
      expect(store.ingest.append([draft])).toMatchObject({ added: [], joined: 1, corrected: [] })
    expect(sightings(dbPath)).toEqual([
      ['wire', 's', null],
      ['hook', 's', expect.not.objectContaining({ text: 'continue' })],
      ['transcript', 's', null],
      ['hook', 'fork', null],
    ])
  })

  test('corrects a prompt whose words differ', () => {
    const { store } = openTestStore()
    tell(store, prompt('wire', 0, 'prompt:a'))
    const { corrected } = store.ingest.append([prompt('hook', 0, 'prompt:a', { payload: { text: 'go on' } } as never)])
    expect(corrected).toMatchObject([{ session_id: 's', turn_id: 1, text: 'go on', is_prompt: true }])
  })

  test("a hook's duration counts even if another source measured one", () => {
    const { store, dbPath } = openTestStore()
    const [wire, hook] = resultFact('s', 'c1', 'a.css', 0).reports as [AnyDraft, AnyDraft]
    const { sighting: _, ...measured } = hook
    tell(store, { ...wire, duration_ms: 99 } as AnyDraft, measured as AnyDraft)
    expect(sightings(dbPath)[1]).toEqual(['hook', 's', expect.objectContaining({ duration_ms: 12.5 })])
  })

  test('a parent that the wire knows is awaited, though a transcript named another first', () => {
    const { store, dbPath } = openTestStore()
    tell(store, note('s', 0, 'k:part'), note('s', 10, 'k:child', { source: 'transcript', parents: ['k:part'] }))
    tell(store, note('s', 10, 'k:child', { source: 'wire', parents: ['k:whole'] }), note('s', 0, 'k:whole'))
    const parent = "SELECT p.payload ->> '$.text' FROM lineage l JOIN events p ON p.uuid = l.parent_uuid"
    const child = "JOIN events e ON e.uuid = l.uuid WHERE e.payload ->> '$.text' = 'k:child'"
    expect(read(dbPath, `${parent} ${child}`)).toEqual([['k:whole']])
  })
})
