import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { aspyHere } from '../support/app/aspy-here.ts'
import { startApp } from '../support/app/start-app.ts'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { startMessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'

const usage = { input_tokens: 1003, output_tokens: 217 }

test.skipIf(lacks(findClaude() !== null))('the real client resumes a session from its export', async () => {
  using home = makeTempFolder('aspy-client-')
  using data = makeTempFolder()
  const asked: string[] = []
  await using upstream = await startMessagesUpstream((request, n) => {
    asked.push(JSON.stringify(request))
    return n === 0
      ? {
          steps: [{ text: 'I will say it.' }, { tool: 'Bash', input: { command: 'echo solarized' }, id: 'toolu_echo' }],
          usage,
        }
      : { steps: [{ text: 'It is said.' }], usage }
  })
  let first: Awaited<ReturnType<typeof runClaude>>
  {
    await using app = await startApp({ upstream: upstream.url, dataDir: data.path })
    await app.recorderRuns()
    first = await runClaude({ baseUrl: app.proxy, prompt: 'Say a heliotrope word.', home: home.path })
    await until('both answers are recorded', async () => (await app.count({ kind: 'model_response' })) >= 2)
  }
  const id = first.result?.session_id ?? ''
  const [transcript = ''] = first.transcripts
  expect(basename(transcript)).toBe(`${id}.jsonl`)

  // Another home, with nothing of the session but its export.
  using other = makeTempFolder('aspy-client-')
  const place = join(other.path, relative(home.path, transcript))
  mkdirSync(dirname(place), { recursive: true })
  const exported = await aspyHere(['export', '--session', id, '--format', 'claude', '--data', data.path])
  writeFileSync(place, exported.stdout)
  const before = asked.length
  const resumed = await runClaude({
    baseUrl: upstream.url,
    prompt: 'What did you say?',
    home: other.path,
    cwd: home.path,
    args: ['--resume', id],
  })
  expect(resumed).toMatchObject({ exitCode: 0, result: { is_error: false, result: 'It is said.' } })
  const request = asked.slice(before).find((body) => body.includes('What did you say?')) ?? ''
  for (const word of ['Say a heliotrope word.', 'I will say it.', 'toolu_echo', 'solarized', 'It is said.'])
    expect(request).toContain(word)
})
