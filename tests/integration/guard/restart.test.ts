import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { aspy } from '../../support/app/aspy-command.ts'
import { startKept, type KeptApp } from '../../support/keeper/kept-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { lastUserText, startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** Four answers and a half of the 32,000 tokens that each may have. */
const CONFIG = `[guard]
session_tokens = 150000
strict = true
action = "refuse"
decide_ms = 10000
`
const WAYS: Readonly<Record<string, (kept: KeptApp) => Promise<unknown>>> = {
  restart: ({ data }) => aspy(['restart', '--data', data]),
  'kill -9': async (kept) => kept.nextApp(kept.signal('SIGKILL')),
}

test.each(Object.entries(WAYS))('over a %s, a strict cap counts what is in flight', async (_, end) => {
  using folder = makeTempFolder()
  await using upstream = await startMessagesUpstream(({ body }) => ({
    steps: [{ text: 'begun' }, { hold: lastUserText(body) }, { text: 'ended' }],
  }))
  writeFileSync(join(folder.path, 'config.toml'), CONFIG)
  await using kept = await startKept(folder.path, upstream.url)
  const send = (prompt: string) => ask(kept.proxy, { prompt, session: 's-1', headers: { connection: 'close' } })
  const before = ['one', 'two', 'three']
  const answers = await Promise.all(before.map(send))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  await end(kept)
  const after = ['four', 'five', 'six', 'seven']
  const statuses = (await Promise.all(after.map(send))).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 402, 402, 402])
  for (const prompt of [...before, ...after]) upstream.release(prompt)
  await Promise.all(answers.map((answer) => answer.text().catch(() => 'cut')))
})
