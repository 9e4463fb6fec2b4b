import { expect, test } from 'vitest'
import { recordedEvents } from '../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { findClaude } from '../support/client/claude-client.ts'
import { answerFirstQuestions, installHooks, startTyping } from '../support/client/claude-typing.ts'
import { lacks } from '../support/runner/lacks.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { startMessagesUpstream } from '../support/upstream/messages-upstream.ts'

test.skipIf(lacks(findClaude() !== null))(
  'a permission that the real client asks for in a terminal is recorded, and told while the client waits',
  async () => {
    using home = makeTempFolder('aspy-client-')
    await using upstream = await startMessagesUpstream(() => ({
      steps: [{ tool: 'Bash', input: { command: 'touch new-file', description: 'Create a file' } }],
    }))
    await using app = await startApp({ upstream: upstream.url })
    installHooks(home.path, app)
    answerFirstQuestions(home.path)
    const told = firstNews(app)
    await using _ = startTyping(home.path, app.proxy, `--permission-mode default 'make a file'`)
    expect(await told).toContain('"kind":"waits","title":"Claude waits for you in ')
    const asked = await recordedEvents(app, `kind IN ('state_change', 'notification')`)
    expect(asked.map(({ kind, payload }) => ({ kind, payload }))).toEqual([
      {
        kind: 'state_change',
        payload: {
          name: 'permission_asked',
          to: { tool_name: 'Bash', tool_input: { command: 'touch new-file', description: 'Create a file' } },
        },
      },
      { kind: 'notification', payload: { text: 'Claude needs your permission', level: 'permission_prompt' } },
    ])
  },
)

/** Returns the first batch of the live feed that has news. */
async function firstNews({ app, token }: TestApp): Promise<string> {
  const { body } = await fetch(`${app}/api/live`, { headers: { authorization: `Bearer ${token}` } })
  for await (const part of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()))
    if (part.includes('"news"')) return part
  throw new Error('the feed ended without news')
}
