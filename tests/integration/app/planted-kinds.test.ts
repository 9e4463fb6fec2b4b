import { expect, test } from 'vitest'
import { plantedKinds } from '../../../src/main/redaction/fixtures/planted-kinds.ts'
import { ask } from '../../support/app/ask.ts'
import { startApp } from '../../support/app/start-app.ts'
import { secretsIn } from '../../support/store/byte-scan.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

/** Short ones may occur by accident, in any case, somewhere in a database. */
const searched = (kinds: ReturnType<typeof plantedKinds>) =>
  kinds.flatMap(({ secrets }) => secrets).filter((secret) => secret.length >= 8)
const joined = (kinds: ReturnType<typeof plantedKinds>) => kinds.map(({ text }) => text).join('\n\n')

test('no kind of secret stays in any byte of the data folder or of the feed', async () => {
  const [asked, thought, answered, hooked, argued] = ['asked', 'thought', 'answered', 'hooked', 'argued'].map(
    plantedKinds,
  )
  if (!asked || !thought || !answered || !hooked || !argued) throw new Error('five sets of kinds')
  await using upstream = await startMessagesUpstream(() => ({
    steps: [{ thinking: joined(thought) }, { text: joined(answered) }],
    deltaLength: 9,
  }))
  using folder = makeTempFolder()
  const app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  const feed: string[] = []
  const leaving = new AbortController()
  const shown: string[] = []
  try {
    const live = await fetch(`${app.app}/api/live`, {
      headers: { authorization: `Bearer ${app.token}` },
      signal: leaving.signal,
    })
    const listening = (async () => {
      for await (const bytes of live.body ?? []) feed.push(Buffer.from(bytes as Uint8Array).toString('utf8'))
    })().catch((error: unknown) => error)
    await (await ask(app.proxy, { prompt: joined(asked), session: 'planted' })).text()
    const hook = { session_id: 'planted', cwd: '/tmp' }
    for (const [index, { text }] of hooked.entries())
      await app.call('hooks.post', {
        ...hook,
        hook_event_name: 'PostToolUse',
        tool_name: 'mcp__notes__add',
        tool_use_id: `toolu_${index}`,
        tool_input: { note: argued[index]?.text ?? '', fields: { password: argued[index]?.secrets[0] ?? '' } },
        tool_response: { stdout: text },
      })
    await until('the answer is recorded', async () => (await app.count({ kind: 'assistant_text' })) > 0)
    await until('the hooks are recorded', async () => (await app.count({ kind: 'tool_result' })) >= hooked.length)
    shown.push(JSON.stringify(await app.call('events.export', { limit: 1000 })))
    leaving.abort()
    await listening
  } finally {
    await app.close()
  }
  const secrets = [asked, thought, answered, hooked, argued].flatMap(searched)
  expect(secrets.length).toBeGreaterThan(1_000)
  const text = `${feed.join('')}\n${shown.join('')}`
  expect(text).toContain('[redacted:secret-value:')
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
  expect(secretsIn(folder.path, secrets)).toEqual([])
})
