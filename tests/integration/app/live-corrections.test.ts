import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LiveBatch } from '../../../src/shared/contract/live.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const SENTENCE = 'A sentence that a later client writes by itself.'

/** Sends a conversation through the proxy, as the client would. */
async function ask(app: TestApp, session: string, ...texts: readonly string[]): Promise<void> {
  const messages = texts.map((text, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text }],
  }))
  const response = await fetch(`${app.proxy}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'sk-ant-dummy',
      'x-claude-code-session-id': session,
      'user-agent': 'claude-cli/2.1.330 (external, cli)',
    },
    body: JSON.stringify({
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      stream: true,
      system: [{ type: 'text', text: 'You are Claude Code.' }],
      tools: [{ name: 'Bash' }],
      messages,
    }),
  })
  await response.text()
}

const line = (session: string, n: number, text: string, more: object = {}) =>
  `${JSON.stringify({
    type: 'user',
    uuid: `00000000-0000-4000-8000-00000000000${n}`,
    sessionId: session,
    timestamp: new Date().toISOString(),
    message: { role: 'user', content: text },
    ...more,
  })}\n`

const prompts = async (app: TestApp, session: string) => {
  const { items } = await app.call<{ items: { content: string }[] }>('prompts.search', { session_id: session })
  return items.map(({ content }) => content)
}
const recorded = (app: TestApp, count: number) =>
  until(
    'all is recorded',
    async () => (await app.call<Record<string, number>>('health.get'))['exchanges_recorded'] === count,
  )

test('an open window learns that a prompt was the client’s own words', async () => {
  using folder = makeTempFolder()
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'Done.' }] }))
  await using app = await startApp({ upstream: upstream.url })
  const leave = new AbortController()
  const feed = await fetch(`${app.app}/api/live?session_id=s-live`, {
    headers: { authorization: `Bearer ${app.token}` },
    signal: leave.signal,
  })
  await ask(app, 's-live', 'Paint the door')
  await ask(app, 's-live', 'Paint the door', 'Done.', SENTENCE)
  await recorded(app, 2)
  expect(await prompts(app, 's-live')).toHaveLength(2)

  const path = join(folder.path, 's-live.jsonl')
  writeFileSync(path, line('s-live', 1, 'Paint the door') + line('s-live', 2, SENTENCE, { isMeta: true }))
  await app.run('transcripts.import', { paths: [path] })
  const corrected = await correctionIn(feed)
  leave.abort()
  expect(corrected).toMatchObject([{ session_id: 's-live', is_prompt: false, text: SENTENCE }])
  expect(await prompts(app, 's-live')).toEqual(['Paint the door'])
})

test('a transcript that is read before the wire keeps the client’s own words from becoming a prompt', async () => {
  using folder = makeTempFolder()
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'Done.' }] }))
  await using app = await startApp({ upstream: upstream.url })
  const path = join(folder.path, 's-early.jsonl')
  writeFileSync(path, line('s-early', 1, 'Paint the door') + line('s-early', 2, SENTENCE, { isMeta: true }))
  await app.run('transcripts.import', { paths: [path] })
  await ask(app, 's-early', 'Paint the door')
  await ask(app, 's-early', 'Paint the door', 'Done.', SENTENCE)
  // The same words of another session are a prompt there.
  await ask(app, 's-other', SENTENCE)
  await recorded(app, 3)
  expect(await prompts(app, 's-early')).toEqual(['Paint the door'])
  expect(await prompts(app, 's-other')).toEqual([SENTENCE])
  const { items } = await app.call<{ items: { kind: string; turn_id: number }[] }>('events.list', {
    session_id: 's-early',
  })
  const turns = items.flatMap(({ kind, turn_id: turn }) => (kind === 'assistant_text' ? [turn] : []))
  expect(turns).toEqual([1, 1])
})

/** The first correction that the feed sends. */
async function correctionIn(response: Response): Promise<LiveBatch['corrected']> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    for (const [, data = ''] of text.matchAll(/^data: (\{.*\})$/gm)) {
      const { corrected } = JSON.parse(data) as LiveBatch
      if (corrected !== undefined) return corrected
    }
  }
  throw new Error(`the feed ended without a correction: ${text}`)
}
