import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

type Items = { items: { uuid: string; kind: string; parent_uuid: string; payload: Record<string, unknown> }[] }

test('a command that the hooks tell of has the files that it changed, until its session is deleted', async () => {
  using root = makeTempFolder('aspy-work-')
  await using app = await startApp({ upstream: 'http://127.0.0.1:9', settings: { 'files.watch_changes': true } })
  const path = join(root.path, 'app.ts')
  const shell = (command: string) => execFileSync('bash', ['-c', command], { cwd: root.path, encoding: 'utf8' })
  shell('git init -q')
  const hook = async (hook_event_name: string, more: object) =>
    app.running.dispatch.call(
      'hooks.post',
      Buffer.from(JSON.stringify({ session_id: 's1', cwd: root.path, hook_event_name, ...more })),
      { access: 'hooks' },
    )
  const called = async (tool_use_id: string, tool_name: string, tool_input: object, work: () => string) => {
    const call = { tool_use_id, tool_name, tool_input }
    await hook('PreToolUse', call)
    await hook('PostToolUse', { ...call, tool_response: { stdout: work(), stderr: '' } })
  }
  const run = (id: string, command: string) => called(id, 'Bash', { command }, () => shell(command))
  const seen = async () => (await app.call<Items>('events.list', { kind: 'file_seen', limit: 100 })).items

  await hook('UserPromptSubmit', { prompt: 'Make it.' })
  // It waits for its request, which goes elsewhere here.
  const prompts = async () => (await app.call<Items>('events.list', { kind: 'user_prompt' })).items.length
  await expect.poll(prompts, { timeout: 10_000 }).toBe(1)
  // On a busy machine a look may come too late: the client does not wait for it, and that time nothing is seen.
  let tries = 0
  const content = 'export const first = 1\n'
  const more = `export const second = 2\napi_key = "sk-ant-api03-${'Ab3'.repeat(31)}-AA"\n`
  const found = async () => {
    tries += 1
    await called(`write${tries}`, 'Write', { file_path: path, content }, () => (writeFileSync(path, content), 'done'))
    await run(`fix${tries}`, `python3 -c "open('app.ts', 'a').write('''${more.replaceAll('"', '\\"')}''')"`)
    // What the hooks tell is stored once the prompt's request is no longer waited for.
    for (let looks = 0; looks < 50; looks += 1) {
      const last = (await seen()).find(({ payload }) => payload['path'] === path && payload['at'] === 'after')
      if (last !== undefined) return last
      await pause(100)
    }
    return undefined
  }
  await expect.poll(found, { timeout: 60_000, interval: 500 }).toBeDefined()
  const after = (await seen()).find(({ payload }) => payload['path'] === path && payload['at'] === 'after')
  const fixed = String(after?.payload['call_id'])
  expect(after?.payload).toMatchObject({ hash: expect.any(String), why_not: null, is_sure: true })
  expect(String(after?.payload['text'])).toContain('[redacted:anthropic-key')
  const { items: calls } = await app.call<Items>('events.list', { kind: 'tool_call', session_id: 's1', limit: 500 })
  const idOf = (id: string) => calls.find(({ payload }) => payload['call_id'] === id)?.uuid
  const [fix, write] = [idOf(fixed), idOf('write1')]
  expect(after?.parent_uuid).toBe(fix)

  const { items } = await app.call<OperationOutput<'files.blame'>>('files.blame', { path, until: fix })
  expect(items.slice(0, 3).map(({ text, origin, event, prompt_text }) => [text, origin, event, prompt_text])).toEqual([
    ['export const first = 1', 'proven', write, 'Make it.'],
    ['export const second = 2', 'derived', fix, 'Make it.'],
    [null, 'unknown', null, null],
  ])
  const history = await app.call<OperationOutput<'files.history'>>('files.history', { path })
  expect(history.items.slice(-2).map(({ action, is_doubted }) => [action, is_doubted])).toEqual([
    ['written', false],
    ['seen', false],
  ])
  await app.call('sessions.delete', { session_id: 's1' })
  expect(await seen()).toEqual([])
  expect((await app.call<OperationOutput<'files.blame'>>('files.blame', { path })).items).toEqual([])
})
