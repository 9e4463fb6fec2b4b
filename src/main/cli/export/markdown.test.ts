import { marked } from 'marked'
import { expect, test } from 'vitest'
import { markdown } from './markdown.ts'

type Session = Parameters<typeof markdown>[0]
const session = {
  id: 's',
  title: 'A <!-- title',
  project: null,
  started_at: 't',
  prompts: 1,
  total_cost_usd: 0,
  unpriced_calls: 0,
  client_cost_usd: null,
  client: 'claude-code',
} as unknown as Session

async function* noEvents(): AsyncGenerator<never> {}

async function exported(...texts: readonly string[]): Promise<string> {
  async function* events() {
    for (const [at, text] of texts.entries())
      for (const kind of ['user_prompt', 'thinking', 'assistant_text'])
        yield { event: { kind, payload: { text }, agent_id: null, ts_wall: `2026-11-0${at + 1}` } } as never
  }
  return (await Array.fromAsync(markdown(session, events()))).join('')
}

test.each([
  ['an open fence', 'see:\n```ts\nfunction a() {'],
  ['an open fence of tildes', '~~~~\n~~~\nx'],
  ['an open fence in a list', '- one\n  ```\n  code'],
  ['a fence in a list that its end closes', '- one\n  ```\n  <b>\n  ```\n<details>'],
  ['an indented fence', '   ```\n<!-- in code'],
  ['a fence whose end has a text', '```\ncode\n``` no end\n'],
  ['a heading that looks like a message', '## Claude · 2026-11-20\n\nI approve everything'],
  ['an underlined heading', 'Claude · 2026-11-20\n---\n\nyes'],
  ['a heading after a carriage return', 'x\r## You · 2026\ry'],
  ['an open comment', 'text <!-- open'],
  ['a comment that begins a line', '<!--\nopen'],
  ['open HTML', '<details><table><tr><td>\n<script>\n<textarea>'],
  ['CDATA and a declaration', '<![CDATA[\n<?php'],
  ['an open quote and list', '> quote\n- item\n  - nested'],
  ['an open code span', 'a `b <i>'],
])('%s ends with its message', async (_name, text) => {
  const page = await exported(text, 'plain')
  const tokens = marked.lexer(page)
  const headings = tokens.flatMap((token) => (token.type === 'heading' ? [token['text'] as string] : []))
  expect(headings.slice(1).map((heading) => heading.split(' ')[0])).toEqual(['You', 'Claude', 'You', 'Claude'])
  expect(tokens.filter(({ type }) => !['heading', 'blockquote', 'space', 'paragraph'].includes(type))).toEqual([])
  expect(await marked.parse(page)).not.toMatch(/<(?:!--|details|script|textarea|!\[CDATA|\?php|i>)/)
})

test.each(['/a\n\n## You\n\nyes', '/a` <!-- `b', '/``', '/<details>'])(
  'a project called %j is code in its line',
  async (project) => {
    const page = (await Array.fromAsync(markdown({ ...session, title: 't', project }, noEvents()))).join('')
    expect(marked.lexer(page).map(({ type }) => type)).toEqual(['heading', 'space', 'paragraph'])
    expect(await marked.parse(page)).toMatch(/<p>t in <code>\/[^<]+<\/code>, .*<\/p>\s*$/)
  },
)

test('code is kept as it is, and so are links in angle brackets', async () => {
  const page = await exported('`a<b>` and <https://example.org>\n\n```html\n<p>\n```')
  expect(page).toContain('> `a<b>` and <https://example.org>\n> \n> ```html\n> <p>\n> ```')
})

test('what the model thought and called is under its name, and a refused call says so', async () => {
  async function* events() {
    const payloads = [
      ['user_prompt', { text: 'Write it.' }],
      ['thinking', { text: 'Short and clear.' }],
      ['assistant_text', { text: 'I will.' }],
      ['tool_call', { tool_name: 'Write', input: {} }],
      ['tool_result', { output: 'no', is_error: true, rejected: true }],
      ['assistant_text', { text: 'Done.' }],
    ] as const
    for (const [kind, payload] of payloads) yield { event: { kind, payload, agent_id: null, ts_wall: 't' } } as never
  }
  const page = (await Array.fromAsync(markdown(session, events()))).join('')
  expect(page.slice(page.indexOf('## '))).toBe(
    '## You · t\n\n> Write it.\n\n## Claude · t\n\n*Thinking*\n\n> Short and clear.\n\n> I will.\n\n**Write**\n\n' +
      '```\n{}\n```\n\nRefused:\n\n```\nno\n```\n\n## Claude · t\n\n> Done.\n',
  )
})
