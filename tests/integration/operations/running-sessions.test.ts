import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

let home: TempFolder
const { HOME } = process.env
beforeEach(() => {
  home = makeTempFolder()
  process.env['HOME'] = home.path
})
afterEach(() => {
  process.env['HOME'] = HOME
  home.remove()
})

test('running sessions are listed with whether they use the proxy; processes that ended are not', async () => {
  const sessions = join(home.path, '.claude', 'sessions')
  mkdirSync(sessions, { recursive: true })
  const note = (pid: number, sessionId: string) =>
    JSON.stringify({ pid, sessionId, cwd: '/home/me/project', startedAt: Date.UTC(2026, 10, 20), version: '2.1.330' })
  writeFileSync(join(sessions, `${process.pid}.json`), note(process.pid, 'passes'))
  writeFileSync(join(sessions, '1.json'), note(1, 'passes not'))
  writeFileSync(join(sessions, '4194303.json'), note(4_194_303, 'ended'))
  writeFileSync(join(sessions, '2.json'), '{"pid":')
  writeFileSync(join(sessions, 'notes.txt'), 'none')

  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'Fine.' }] }))
  await using app = await startApp({ upstream: upstream.url })
  await (await ask(app.proxy, { prompt: 'Hello?', session: 'passes' })).text()
  const running = async () => (await app.call<{ items: { session_id: string }[] }>('transcripts.running')).items
  await until('it is recorded', async () => (await app.count()) > 2)
  expect((await running()).toSorted((a, b) => (a.session_id < b.session_id ? -1 : 1))).toEqual([
    {
      session_id: 'passes',
      pid: process.pid,
      project: '/home/me/project',
      started_at: '2026-11-20T00:00:00.000Z',
      version: '2.1.330',
      captured: true,
    },
    expect.objectContaining({ session_id: 'passes not', pid: 1, captured: false }),
  ])
})
