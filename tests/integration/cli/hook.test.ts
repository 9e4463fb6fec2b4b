import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { ASPY_ENTRY } from '../../support/app/aspy-command.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

// Each hook is a separate process.
/** Calls the hook as the client does: its JSON on stdin, then its output and exit code. */
async function hook(dataDir: string, stdin: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [ASPY_ENTRY, 'hook', '--data', dataDir], { env: { HOME: dataDir, ...env } })
  const ended = once(child, 'close')
  child.stdin.on('error', () => undefined).end(stdin)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: (await ended)[0] as number | null, stdout, stderr }
}
const SILENT = { code: 0, stdout: '', stderr: '' }
const started = (source: string, session_id = 's-hook') =>
  JSON.stringify({ hook_event_name: 'SessionStart', source, session_id, cwd: '/home/user/project' })

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'Solarized it is.' }] }))
})
afterAll(() => upstream.close())

describe('aspy hook', () => {
  test('forwards a hook, and after a compaction tells the model what is recorded', async () => {
    await using app = await startApp({ upstream: upstream.url })
    await (await ask(app.proxy, { prompt: 'Which theme?', session: 's-hook' })).text()
    await until('the answer is recorded', async () => {
      const kept = await app.call<{ answers: number }>('sessions.kept', { session_id: 's-hook' })
      return kept.answers === 1
    })
    // It gives up rather than keep a client waiting: on a machine that is busy it may take more than one start.
    const isRecorded = async () => {
      expect(await hook(app.data, started('startup'))).toEqual(SILENT)
      const { items } = await app.call<{ items: object[] }>('events.list', { kind: 'session_started' })
      return items.length > 0
    }
    await until('the hook is recorded', isRecorded, 60_000)
    let stdout = ''
    const comes = async () => {
      const said = await hook(app.data, started('compact'))
      expect(said.code).toBe(0)
      stdout = said.stdout
      return stdout !== ''
    }
    await until('the pointer comes in time', comes, 60_000)
    const { hookSpecificOutput: said } = JSON.parse(stdout) as { hookSpecificOutput: Record<string, string> }
    expect(said['hookEventName']).toBe('SessionStart')
    expect(said['additionalContext']).toMatch(/1 prompt, 1 answer since .*aspy_recall_context.*"s-hook"/)
    // Resumed without a compaction, the model still has all of it.
    expect(await hook(app.data, started('resume', 's-hook'))).toEqual(SILENT)
    expect(await hook(app.data, started('compact', 'never seen'))).toEqual(SILENT)
  })

  test('says that a hook is too large, and the app counts it', async () => {
    await using app = await startApp({ upstream: upstream.url })
    const huge = JSON.stringify({
      ...(JSON.parse(started('startup')) as object),
      filling: 'x'.repeat(17 * 1024 * 1024),
    })
    await until(
      'it is counted',
      async () => {
        const said = await hook(app.data, huge)
        expect([said.code, said.stdout]).toEqual([0, ''])
        expect(said.stderr).toContain('more than 16777216 bytes')
        const { dropped } = await app.call<{ dropped: Record<string, number> }>('health.get')
        return (dropped['hook_too_large'] ?? 0) > 0
      },
      60_000,
    )
  })

  test('is silent if the setting is off', async () => {
    await using app = await startApp({ upstream: upstream.url, settings: { 'notices.after_compaction': false } })
    await (await ask(app.proxy, { prompt: 'Which theme?', session: 's-hook' })).text()
    await until('the prompt is recorded', async () => {
      const kept = await app.call<{ prompts: number }>('sessions.kept', { session_id: 's-hook' })
      return kept.prompts === 1
    })
    expect(await hook(app.data, started('compact'))).toEqual(SILENT)
  })

  test('is silent and exits with 0 if no app or another server is running, and for invalid input', async () => {
    using empty = makeTempFolder()
    expect(await hook(empty.path, started('compact'))).toEqual(SILENT)
    expect(await hook(empty.path, 'no JSON')).toEqual(SILENT)
    expect(await hook(empty.path, '')).toEqual(SILENT)
    expect(await hook(join(empty.path, 'not there'), started('compact'))).toEqual(SILENT)

    const asked: string[] = []
    const stranger = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
      response.end('{"id":"another"}')
    })
    await once(stranger.listen(0, '127.0.0.1'), 'listening')
    const { port } = stranger.address() as AddressInfo
    writeFileSync(
      join(empty.path, 'app.json'),
      JSON.stringify({ pid: process.pid, id: 'ours', ports: { proxy: null, app: port } }),
    )
    writeFileSync(join(empty.path, 'hooks'), 'the-key')
    expect(await hook(empty.path, started('compact'))).toEqual(SILENT)
    // Only the app receives a key, and only after its proof.
    for (const request of asked) expect(request).toMatch(/^GET \/healthz\/proof\?key=hooks&nonce=[\w-]{43} $/)
    expect(asked).not.toEqual([])
    stranger.close()
  })

  test('gives up on an app that hangs', async () => {
    using folder = makeTempFolder()
    const hanging = createServer(() => undefined)
    await once(hanging.listen(0, '127.0.0.1'), 'listening')
    const { port } = hanging.address() as AddressInfo
    const note = { pid: process.pid, id: 'ours', ports: { proxy: null, app: port } }
    writeFileSync(join(folder.path, 'app.json'), JSON.stringify(note))
    writeFileSync(join(folder.path, 'hooks'), 'the-key')
    expect(await hook(folder.path, started('compact'))).toEqual(SILENT)
    const { stderr } = await hook(folder.path, started('compact'), { ASPY_LOG: 'debug' })
    expect(stderr).toMatch(/abort|timeout/i)
    hanging.closeAllConnections()
    hanging.close()
  })
})
