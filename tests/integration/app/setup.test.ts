import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { expectNoSetup } from '../../support/app/expect-no-setup.ts'
import { startApp, type TestAppOptions } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

type Status = OperationOutput<'claude_code.status'>

const UPSTREAM = 'http://127.0.0.1:9'

/** An app over a Claude Code folder of the test's own, which holds one setting. */
async function appOver(home: string, more: Partial<TestAppOptions> = {}, env: Record<string, string> = {}) {
  const claude = join(home, 'claude')
  mkdirSync(claude, { recursive: true })
  const settings = join(claude, 'settings.json')
  if (!existsSync(settings)) writeFileSync(settings, '{\n    "model": "opus"\n}')
  const app = await startApp({
    upstream: UPSTREAM,
    dataDir: join(home, 'data'),
    claudeCode: { env: { CLAUDE_CONFIG_DIR: claude, ...env }, home, aspy: ['/usr/bin/node', '/opt/aspy/bin/aspy'] },
    ...more,
  })
  const state = async () => (await app.call<Status>('claude_code.status')).state
  return { app, claude, settings, state, plugin: join(claude, 'skills', 'aspy') }
}

describe('setting up Claude Code from the window', () => {
  test('connects and requests thinking; undo restores every byte', async () => {
    using home = makeTempFolder()
    const { app, settings, state, plugin } = await appOver(home.path)
    await using _ = app
    expect(await app.call('claude_code.status')).toEqual({
      refusal: null,
      state: {
        plugin: 'absent',
        plugin_folder: plugin,
        settings_file: settings,
        thinking_summaries: false,
        base_url: null,
        command: { state: 'absent', file: join(home.path, '.local/bin/aspy'), note: null },
        can_undo: false,
        undo_in_terminal: false,
      },
    })
    expect(existsSync(plugin)).toBe(false)

    expect(await app.call('claude_code.set_up')).toEqual({ done: [`plugin: ${plugin}`] })
    expect(await state()).toMatchObject({ plugin: 'installed', thinking_summaries: false, can_undo: true })
    expect(readFileSync(settings, 'utf8')).toBe('{\n    "model": "opus"\n}')
    const hooks = readFileSync(join(plugin, 'hooks', 'hooks.json'), 'utf8')
    expect(hooks).toContain(`"url": "${app.app}/api/hooks"`)
    expect(hooks).toContain('/opt/aspy/bin/aspy hook')

    await app.call('claude_code.set_up', { thinking: true })
    expect(await state()).toMatchObject({ plugin: 'installed', thinking_summaries: true })
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({ model: 'opus', showThinkingSummaries: true })

    writeFileSync(join(plugin, '.mcp.json'), '{}')
    expect((await state())?.plugin).toBe('out_of_date')

    const { done } = await app.call<{ done: string[] }>('claude_code.undo')
    expect(done).toEqual([`removed: ${plugin}`, expect.stringContaining('showThinkingSummaries')])
    expect(readFileSync(settings, 'utf8')).toBe('{\n    "model": "opus"\n}')
    expect(await state()).toMatchObject({ plugin: 'absent', thinking_summaries: false, can_undo: false })
  })

  test('keeps other entries, and reports who set the base URL', async () => {
    using home = makeTempFolder()
    const { app, settings, state, plugin } = await appOver(
      home.path,
      {},
      { ANTHROPIC_BASE_URL: 'https://me:secret@gate.example' },
    )
    await using _ = app
    expect((await state())?.base_url).toEqual({
      url: 'https://gate.example/',
      from: 'environment',
      by_aspy: false,
      leads_here: false,
    })
    // Settings win over the environment.
    writeFileSync(settings, JSON.stringify({ env: { ANTHROPIC_BASE_URL: `${app.proxy}/` } }))
    expect((await state())?.base_url).toMatchObject({ from: 'settings', by_aspy: false, leads_here: true })
    writeFileSync(settings, '{ "env": ')
    expect(await state()).toMatchObject({ thinking_summaries: null })

    mkdirSync(plugin, { recursive: true })
    writeFileSync(join(plugin, 'mine.md'), 'mine')
    expect((await state())?.plugin).toBe('not_ours')
    await expect(app.call('claude_code.set_up')).rejects.toMatchObject({ code: 'conflict' })
    expect(readdirSync(plugin)).toEqual(['mine.md'])
  })

  test('leaves a base URL to the command line, because its service may be this app', async () => {
    using home = makeTempFolder()
    const { app, state, plugin } = await appOver(home.path)
    await using _ = app
    await app.call('claude_code.set_up')
    const note = join(home.path, 'data', 'setup.json')
    writeFileSync(note, JSON.stringify({ ...JSON.parse(readFileSync(note, 'utf8')), service: true }))
    expect(await state()).toMatchObject({ can_undo: true, undo_in_terminal: true })
    await expect(app.call('claude_code.undo')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('aspy setup --undo'),
    })
    expect(existsSync(plugin)).toBe(true)
  })

  test('an app without access to Claude Code neither reads nor changes it', async () => {
    await using app = await startApp({ upstream: UPSTREAM })
    await expectNoSetup(app)
  })

  test('a window without an aspy command can show status and undo, but not install', async () => {
    using home = makeTempFolder()
    const { app, claude, plugin } = await appOver(home.path)
    await app.call('claude_code.set_up')
    await app.close()
    const place = { env: { CLAUDE_CONFIG_DIR: claude }, home: home.path, aspy: null }
    const { app: window, state } = await appOver(home.path, { claudeCode: place })
    await using _ = window
    expect(await state()).toMatchObject({ plugin: 'installed', can_undo: true })
    await expect(window.call('claude_code.set_up')).rejects.toThrow(/Run (?:\S*\/bin\/)?aspy setup in a terminal/)
    await window.call('claude_code.undo')
    expect(existsSync(plugin)).toBe(false)
  })

  test('a read-only key can see the status but change nothing', async () => {
    using home = makeTempFolder()
    const { app, plugin } = await appOver(home.path)
    await using _ = app
    const read = { access: 'read' } as const
    await app.running.dispatch.call('claude_code.status', {}, read)
    for (const name of ['claude_code.set_up', 'claude_code.undo'])
      await expect(app.running.dispatch.call(name, {}, read)).rejects.toMatchObject({ code: 'forbidden' })
    expect(existsSync(plugin)).toBe(false)
  })
})
