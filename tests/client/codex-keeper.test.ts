import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askKeeper } from '../../src/main/keeper/control.ts'
import { aspy, startAspy } from '../support/app/aspy-command.ts'
import { findCodex } from '../support/client/codex-client.ts'
import { endKeeper } from '../support/keeper/end-keeper.ts'
import { appServes, killApp } from '../support/keeper/kill-app.ts'
import { few, isHeavy } from '../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { lacks } from '../support/runner/lacks.ts'
import { until } from '../support/runner/until.ts'
import { readStore } from '../support/store/folder.ts'
import {
  call,
  lastUserText,
  message,
  startResponsesUpstream,
  type ResponsesUpstream,
} from '../support/upstream/responses-upstream.ts'

const EXEC = ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
const TRANSPORTS = ['refuse', 'permessage-deflate'] as const
const MODES = [
  ['through a base URL', []],
  ['in full mode', ['--full']],
] as const
/** Both modes in heavy runs, otherwise one: each mode is killed over one transport and restarted over the other. */
const modesOf = (websocket: (typeof TRANSPORTS)[number], isKilled: boolean) =>
  MODES.filter((_, at) => isHeavy || ((websocket === 'refuse') === isKilled) === (at === 0))

// What happens to Aspy, seen by the real Codex: a turn of two requests, the first of which is held.
describe.skipIf(lacks(findCodex() !== null)).each(few(TRANSPORTS, 1))(
  'Codex, WebSockets: %s, while its app',
  (websocket) => {
    let upstream: ResponsesUpstream
    let home: TempFolder
    let data: string
    const holds = new Map<string, { reached: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> }>()
    const holdOf = (prompt: string) => {
      const known = holds.get(prompt) ?? { reached: Promise.withResolvers(), released: Promise.withResolvers() }
      holds.set(prompt, known)
      return known
    }

    beforeAll(async () => {
      upstream = await startResponsesUpstream(
        ({ body }) => {
          if (String(body?.input?.at(-1)?.['type']).endsWith('_output')) return { output: [message('Ended.')] }
          const { reached, released } = holdOf(lastUserText(body))
          const output = [message('It begins.'), call('exec_command', { cmd: 'echo solarized' })]
          return { output, hold: { reached: reached.resolve, released: released.promise } }
        },
        { websocket },
      )
      home = makeTempFolder('aspy-keeper-codex-')
      data = join(home.path, 'data')
      const folder = join(home.path, '.codex')
      mkdirSync(folder)
      writeFileSync(join(folder, 'auth.json'), JSON.stringify({ auth_mode: 'apikey', OPENAI_API_KEY: 'sk-proj-dummy' }))
    })
    afterAll(async () => {
      await endKeeper(data)
      await upstream.close()
      home.remove()
    })

    const run = async (prompt: string, mode: readonly string[]) => {
      await appServes(data)
      const flags = ['--data', data, '--port', '0', '--proxy-port', '0', '--tunnel-port', '0', ...mode]
      return startAspy(
        ['run', ...flags, '--', 'codex', ...EXEC, '--model', 'gpt-5.6-sol', prompt],
        {
          PATH: `${dirname(findCodex() ?? '')}:${process.env['PATH'] ?? ''}`,
          CODEX_HOME: join(home.path, '.codex'),
          ASPY_PROXY_UPSTREAMS: JSON.stringify({ openai: upstream.url, chatgpt: upstream.url }),
        },
        home.path,
        home.path,
      ).finished
    }
    /** What was asked since, without the requests that only warm up a WebSocket. */
    const askedSince = (before: number) => upstream.calls.slice(before).filter(({ body }) => body?.generate !== false)
    const saysEnded = { code: 0, stdout: expect.stringMatching(/"text":"Ended\."[^]*turn\.completed/) }
    const passed = async () => (await askKeeper(data, 'status'))?.passed

    test.each(modesOf(websocket, true))(
      'is killed while it streams, %s: it asks once more, and ends well',
      async (mode, flags) => {
        const prompt = `Killed ${mode}`
        const before = upstream.calls.length
        const finished = run(prompt, flags)
        await holdOf(prompt).reached.promise
        await killApp(data)
        holdOf(prompt).released.resolve()
        expect(await finished).toMatchObject(saysEnded)
        expect(askedSince(before)).toHaveLength(3)
      },
    )

    test.each(modesOf(websocket, false))(
      'is restarted, %s: no answer is cut, and nothing is asked twice',
      async (mode, flags) => {
        const prompt = `Restarted ${mode}`
        const before = upstream.calls.length
        const finished = run(prompt, flags)
        await holdOf(prompt).reached.promise
        expect(await aspy(['restart', '--data', data])).toMatchObject({ code: 0, stderr: '' })
        holdOf(prompt).released.resolve()
        expect(await finished).toMatchObject(saysEnded)
        const [first, last, ...more] = askedSince(before)
        expect(more).toEqual([])
        // A WebSocket goes to the new app with the first request after the restart.
        expect(first?.connection).not.toBe(last?.connection)
      },
    )

    test('is gone for good: it works on, and what passed is counted and marked in its session', async () => {
      const prompt = 'Gone'
      const finished = run(prompt, [])
      await holdOf(prompt).reached.promise
      const before = upstream.calls.length
      writeFileSync(join(data, 'config.toml'), 'no setting at all')
      await killApp(data)
      holdOf(prompt).released.resolve()
      const { stdout, ...end } = await finished
      expect({ ...end, stdout }).toMatchObject({
        ...saysEnded,
        stderr: expect.stringMatching(/\d requests passed unrec/),
      })
      const session = `codex-${/"thread_id":"([^"]+)"/.exec(stdout)?.[1]}`
      expect((await passed())?.requests[session]).toBe(upstream.calls.length - before)
      rmSync(join(data, 'config.toml'))
      expect(await aspy(['restart', '--data', data])).toMatchObject({ code: 0, stderr: '' })
      const marks = () =>
        readStore(join(data, 'lifestats.db'), (db) =>
          db.prepare("SELECT session_id FROM events WHERE payload ->> 'type' = 'unrecorded'").pluck().all(),
        )
      await until('the session is marked', () => Promise.resolve(marks().includes(session)))
    })
  },
)
