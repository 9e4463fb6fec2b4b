import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { OperationOutput } from '../../src/shared/contract/index.ts'
import { aspy } from '../support/app/aspy-command.ts'
import { startApp } from '../support/app/start-app.ts'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { lastUserText, startMessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'

type Truth = OperationOutput<'sessions.resume_truth'>

/** Removes the end of a transcript, from the line with a text: a client that crashed had not written it. */
function forgetFrom(transcript: string, text: string): void {
  const lines = readFileSync(transcript, 'utf8').trimEnd().split('\n')
  const at = lines.findIndex((line) => 'uuid' in (JSON.parse(line) as object) && line.includes(text))
  expect(at).toBeGreaterThan(0)
  writeFileSync(transcript, `${lines.slice(0, at).join('\n')}\n`)
}

test.skipIf(lacks(findClaude() !== null))(
  'the real client resumes with all or with less, and only less is reported',
  async () => {
    using home = makeTempFolder('aspy-client-')
    using data = makeTempFolder()
    await using upstream = await startMessagesUpstream(({ body }) => ({
      steps: [{ text: `An answer about ${lastUserText(body).match(/heliotrope|hinges|door|till/)?.[0]}.` }],
    }))
    await using app = await startApp({ upstream: upstream.url, dataDir: data.path })
    await app.recorderRuns()
    const setUp = await aspy(['setup', '--data', data.path], { HOME: home.path, USERPROFILE: home.path })
    expect([setUp.code, setUp.stderr]).toEqual([0, ''])
    const session = '22222222-2222-4222-8222-222222222222'
    let answers = 0
    const say = async (prompt: string, args: readonly string[]) => {
      const run = await runClaude({ baseUrl: app.proxy, prompt, home: home.path, args })
      expect(run.result?.is_error, run.stderr).toBe(false)
      answers += 1
      await until('the answer is recorded', async () => {
        const count = await app.count({ session_id: session, kind: 'assistant_text' })
        return count >= answers
      })
      return run
    }
    const truth = () => app.call<Truth>('sessions.resume_truth', { session_id: session })

    await say('Paint it heliotrope', ['--session-id', session])
    const { transcripts } = await say('Oil the hinges', ['--resume', session])
    // This test does not depend on the hook's timing: both ways of noticing a resume agree.
    expect((await truth()).resumed?.lost_count ?? 0).toBe(0)

    forgetFrom(transcripts[0] ?? '', 'Oil the hinges')
    await say('Close the door', ['--resume', session])
    const { resumed, pack } = await truth()
    expect(resumed).toMatchObject({ had: 4, carried: 2, lost_count: 2 })
    expect(resumed?.lost.map(({ content }) => content)).toEqual(['Oil the hinges', 'An answer about hinges.'])
    expect(pack?.text).toContain('> An answer about hinges.')
    const printed = await aspy(['resume', session, '--lost', '--data', data.path])
    expect(printed.stdout).toContain('> Oil the hinges')

    await say('Count the till', ['--resume', session])
    expect((await truth()).resumed?.lost_count ?? 0).toBe(0)
    expect((await truth()).pack).toBeNull()
  },
)
