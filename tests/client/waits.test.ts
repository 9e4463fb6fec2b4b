import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pluginFiles } from '../../src/main/clients/claude-code/setup/plugin-files.ts'
import { pluginPlaces } from '../../src/main/clients/claude-code/setup/plugin-places.ts'
import { recordedEvents } from '../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { findClaude } from '../support/client/claude-client.ts'
import { answerFirstQuestions, startTyping } from '../support/client/claude-typing.ts'
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
    prepare(home.path, app)
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

/** Writes settings with the hooks of our plugin, and answers what the client asks in its first minute. */
function prepare(home: string, app: TestApp): void {
  const places = pluginPlaces({
    dataDir: app.data,
    watchesFiles: false,
    appPort: Number(new URL(app.app).port),
    aspy: [process.execPath, join(home, 'not-there')],
  })
  mkdirSync(join(home, '.claude'))
  writeFileSync(join(home, '.claude', 'settings.json'), pluginFiles(places).get('hooks/hooks.json') ?? '')
  answerFirstQuestions(home)
}

/** Returns the first batch of the live feed that has news. */
async function firstNews({ app, token }: TestApp): Promise<string> {
  const { body } = await fetch(`${app}/api/live`, { headers: { authorization: `Bearer ${token}` } })
  for await (const part of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()))
    if (part.includes('"news"')) return part
  throw new Error('the feed ended without news')
}
