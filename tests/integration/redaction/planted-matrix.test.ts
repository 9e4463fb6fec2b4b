import { describe, expect, it } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { plantedKinds } from '../../../src/main/redaction/fixtures/planted-kinds.ts'
import { make } from '../../../src/main/redaction/fixtures/redactor-under-test.ts'

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
  'MCP argument': (redactor, text) =>
    JSON.stringify(redactor.json({ method: 'tools/call', params: { arguments: { note: text } } })),
}

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
