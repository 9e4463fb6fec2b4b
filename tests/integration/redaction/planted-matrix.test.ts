import { describe, expect, it } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { plantedKinds } from '../../../src/main/redaction/fixtures/planted-kinds.ts'
import { readForms } from '../../../src/main/redaction/fixtures/forms.ts'
import { make } from '../../../src/main/redaction/fixtures/redactor-under-test.ts'
import { startApp } from '../../support/app/start-app.ts'
import { isHeavy } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { lacksPostgres } from '../../support/team/postgres-server.ts'
import { startTeam } from '../../support/team/team-world.ts'

const base = {
  source: 'wire',
  session_id: 's',
  agent_id: null,
  ts_wall: '2026-11-21T00:00:00.000Z',
  ts_monotonic: null,
  keys: [],
  parents: [],
} as const

type Redactor = ReturnType<typeof make>
const draft = (redactor: Redactor, kind: string, payload: object) =>
  JSON.stringify(redactor.draft({ ...base, kind, payload } as unknown as AnyDraft))

/** Sends a text through the redactor as a place of a session does. Returns everything that would be kept. */
const PLACES: { readonly [place: string]: (redactor: Redactor, text: string) => string } = {
  prompt: (redactor, text) => draft(redactor, 'user_prompt', { text: `Please look:\n${text}\nThanks.` }),
  thinking: (redactor, text) => draft(redactor, 'thinking', { text, message_id: 'msg_1', index: 0 }),
  'tool input': (redactor, text) =>
    draft(redactor, 'tool_call', { call_id: 'toolu_1', tool_name: 'Bash', input: { command: text }, index: 0 }),
  'tool output': (redactor, text) =>
    draft(redactor, 'tool_result', { call_id: 'toolu_2', output: `$ cat x\n${text}\n`, is_error: false }),
  file: (redactor, text) =>
    redactor.text(
      `first\n${text}\nlast`
        .split('\n')
        .map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
        .join('\n'),
    ),
  'stream in pieces of 9': (redactor, text) => {
    const stream = redactor.stream()
    let out = ''
    for (let at = 0; at < text.length; at += 9) out += stream.push(text.slice(at, at + 9))
    return out + stream.end()
  },
  'doubly escaped': (redactor, text) => redactor.text(JSON.stringify(JSON.stringify({ a: `x\n${text}\ny` }))),
  hook: (redactor, text) =>
    JSON.stringify(redactor.json({ hook_event_name: 'PostToolUse', tool_response: { stdout: text } })),
  transcript: (redactor, text) =>
    redactor.text(`${JSON.stringify({ type: 'user', message: { content: [{ type: 'text', text }] } })}\n`),
  header: (redactor, text) => JSON.stringify(redactor.headers([['user-agent', text.replaceAll('\n', ' ')]])),
  url: (redactor, text) => redactor.text(`GET https://example.com/search?q=${encodeURIComponent(text)}&page=2`),
  answer: (redactor, text) => draft(redactor, 'assistant_text', { text, message_id: 'msg_3', index: 0 }),
  summary: (redactor, text) =>
    draft(redactor, 'compaction', { trigger: 'auto', summary: text, tokens_before: 1, tokens_after: 1 }),
  title: (redactor, text) => draft(redactor, 'state_change', { name: 'title', to: text }),
  notification: (redactor, text) => draft(redactor, 'notification', { message: text }),
  'body of an error': (redactor, text) =>
    draft(redactor, 'error', { origin: 'upstream', status: 400, type: 'x', message: text, body: { detail: [text] } }),
  'agent prompt': (redactor, text) =>
    draft(redactor, 'tool_call', { call_id: 'toolu_3', tool_name: 'Agent', input: { prompt: text }, index: 0 }),
  'file that is written': (redactor, text) =>
    draft(redactor, 'tool_call', {
      call_id: 'toolu_4',
      tool_name: 'Write',
      input: { file_path: '/work/app/notes.txt', content: `${text}\n` },
      index: 0,
    }),
  edit: (redactor, text) =>
    draft(redactor, 'tool_call', {
      call_id: 'toolu_5',
      tool_name: 'Edit',
      input: { file_path: '/work/app/notes.txt', old_string: 'TODO', new_string: text },
      index: 0,
    }),
  'system prompt': (redactor, text) =>
    JSON.stringify(redactor.json({ model: 'm', system: [{ type: 'text', text: `You help.\n\n${text}` }] })),
  'schema of a tool': (redactor, text) =>
    JSON.stringify(redactor.json({ tools: [{ name: 'x', description: text, input_schema: { type: 'object' } }] })),
  'text blocks of a request': (redactor, text) =>
    JSON.stringify(redactor.json({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] })),
  'tool result of a request': (redactor, text) =>
    JSON.stringify(
      redactor.json({
        messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_6', content: text }] }],
      }),
    ),
  rollout: (redactor, text) =>
    JSON.stringify(redactor.json({ type: 'response_item', payload: { content: [{ type: 'input_text', text }] } })),
  'MCP result': (redactor, text) =>
    JSON.stringify(redactor.json({ result: { content: [{ type: 'text', text }], isError: false } })),
  'MCP argument': (redactor, text) =>
    JSON.stringify(redactor.json({ method: 'tools/call', params: { arguments: { note: text } } })),
}

/** Forms that were collected from what terminals, editors and tools show. Some are read only where they stand alone. */
const FORMS = [...readForms('./forms.json'), ...readForms('./fresh.json')].filter(({ secrets }) => secrets.length > 0)
/**
 * Here a form is a part of another notation: a line of JSON that a tool prints, whose lines are escaped. Live, a text
 * comes in pieces, and is redacted again as a whole before it enters the log. docs/privacy.md says what stays.
 */
const OTHER_NOTATION: ReadonlySet<string> = new Set([
  'url',
  'header',
  'doubly escaped',
  'file',
  'transcript',
  'stream in pieces of 9',
])

describe('forms of secrets', () => {
  it('are tried in at least 26 places', () => {
    expect(Object.keys(PLACES).length).toBeGreaterThanOrEqual(26)
    expect(FORMS.length).toBeGreaterThanOrEqual(400)
  })

  it.each(Object.keys(PLACES).filter((place) => !OTHER_NOTATION.has(place)))('none is left in a %s', (place) => {
    const redactor = make()
    const at = Object.keys(PLACES).indexOf(place)
    // A sample, of which each place has another part; all of them in heavy runs.
    const tried = FORMS.filter((_, number) => isHeavy || (number + at) % 8 === 0)
    const left = tried.flatMap(({ kind, text, secrets }) => {
      const out = PLACES[place]?.(redactor, text) ?? ''
      const isLeft = secrets.some((secret) => formsOf(secret).some((one) => out.includes(one)))
      return isLeft ? [`${kind}   ${JSON.stringify(text).slice(0, 150)}   ${out.slice(0, 300)}`] : []
    })
    expect(left.join('\n')).toBe('')
  })
})

describe('what is read from the store', () => {
  const tried = FORMS.filter((_, number) => isHeavy || number % 8 === 3)

  /** Fills a data folder with the forms, redacted as they come in. Returns the number of events. */
  function fill(folder: string): number {
    const redactor = make()
    const drafts = tried.flatMap(({ text }, number) => {
      const at = new Date(Date.parse('2026-11-21T00:00:00Z') + number * 60_000).toISOString()
      const more = (kind: string) => ({ at, keys: [`${kind}${number}`], uuid: `${kind}${number}`, session_id: 's' })
      const call = { call_id: `c${number}`, tool_name: 'Bash' }
      return [
        draftOf('user_prompt', { text: `Please look:\n${text}\nThanks.` }, more('p')),
        draftOf('tool_call', { ...call, input: { command: text }, message_id: `m${number}`, index: 1 }, more('c')),
        draftOf('tool_result', { ...call, output: { stdout: text }, is_error: false, rejected: false }, more('r')),
        draftOf('assistant_text', { text, message_id: `n${number}`, index: 0 }, more('a')),
        draftOf('state_change', { name: 'title', from: null, to: text }, more('t')),
      ].map((one) => redactor.draft(one))
    })
    fillStore(folder, drafts)
    return drafts.length
  }
  /** Expects marks in every text, and no secret. */
  function expectNone(texts: { readonly [place: string]: string }): void {
    const left = Object.entries(texts).flatMap(([place, all]) => {
      expect(all, place).toContain('[redacted:')
      return tried.flatMap(({ kind, text, secrets }) =>
        // Short ones are found in anything.
        secrets.some((secret) => secret.length > 7 && formsOf(secret).some((one) => all.includes(one)))
          ? [`${place}   ${kind}   ${JSON.stringify(text).slice(0, 150)}`]
          : [],
      )
    })
    expect(left.join('\n')).toBe('')
  }

  it('has none of them in an export and in the page of a session', async () => {
    using folder = makeTempFolder('aspy-matrix-')
    fill(folder.path)
    await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path })
    const exported = JSON.stringify(await app.call('events.export', { session_id: 's', limit: 1000 }))
    const { document } = await app.call<{ document: string }>('sessions.page', { session_id: 's', format: 'html' })
    expectNone({ exported, document })
  })

  it.skipIf(lacksPostgres)('has none of them in the database of a team', async () => {
    using folder = makeTempFolder('aspy-matrix-')
    await using team = await startTeam()
    const events = fill(folder.path)
    await team.join(folder.path, 'ann')
    const settings = { 'team.policy': 'full' }
    await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path, settings })
    await app.recorderRuns()
    const stored = async () => Number(await team.sql("SELECT count(*) FROM events WHERE level = 'full'"))
    await until('everything was sent', async () => (await stored()) === events)
    expectNone({ dump: await team.postgres.program('pg_dump', ['--data-only', '--inserts', team.database]) })
  })
})

/** A header has no lines: what is a secret by the line it is on cannot come in one. */
const lines = (text: string) => text.includes('\n')

describe('planted secrets', () => {
  const kinds = plantedKinds('matrix')

  it('are of at least 250 kinds', () => {
    expect(new Set(kinds.map(({ form }) => form)).size).toBeGreaterThanOrEqual(250)
  })

  it.each(Object.keys(PLACES))('none is left in a %s', (place) => {
    // To make one takes longer than to redact a text.
    const redactor = make()
    const left = plantedKinds(place).flatMap(({ form, text, secrets }) => {
      if (place === 'header' && lines(text)) return []
      // One layer of escapes is undone, not URL encoding of another notation or of letters beyond ASCII.
      if (place === 'url' && (/\\u|&quot;/.test(form) || /[^\n -~]/.test(text))) return []
      const out = PLACES[place]?.(redactor, text) ?? ''
      const isLeft = secrets.some((secret) => formsOf(secret).some((one) => out.includes(one)))
      return isLeft ? [`${form}   ${out.slice(0, 300)}`] : []
    })
    expect(left.join('\n')).toBe('')
  })
})

/** A secret as it may be written in JSON, in JSON within JSON, and in an address. */
const formsOf = (secret: string): string[] => {
  const json = JSON.stringify(secret).slice(1, -1)
  return [secret, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(secret)]
}
