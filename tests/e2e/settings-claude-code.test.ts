import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/app/ask.ts'
import { heavily } from '../support/runner/heavy.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { lacks } from '../support/runner/lacks.ts'

const POLL = { timeout: 60_000 }
const SEARCH = 'recall which theme we picked'
const RECALL = { tool: 'mcp__plugin_aspy_aspy__aspy_recall_context', input: { query: 'theme' } }

describe.skipIf(lacks(findChromium() !== null))('Claude Code in Settings', () => {
  let browser: Browser
  let app: TestApp
  let upstream: MessagesUpstream
  let page: Page
  let home: TempFolder
  let callId = ''
  const settings = () => join(home.path, 'claude', 'settings.json')
  const plugin = () => join(home.path, 'claude', 'skills', 'aspy')
  const card = () => page.getByRole('region', { name: 'Claude Code' })

  beforeAll(async () => {
    home = makeTempFolder()
    mkdirSync(join(home.path, 'claude'))
    writeFileSync(settings(), '{ "model": "opus" }')
    upstream = await startMessagesUpstream(({ body }) => ({
      steps: JSON.stringify(body).endsWith(`${SEARCH}"}]}]}`)
        ? [{ ...RECALL, id: callId }]
        : [{ thinking: '', signature: 'c2lnbmF0dXJl' }, { text: 'done' }],
    }))
    app = await startApp({
      upstream: upstream.url,
      claudeCode: {
        env: { CLAUDE_CONFIG_DIR: join(home.path, 'claude') },
        home: home.path,
        aspy: ['/usr/bin/node', '/opt/aspy/bin/aspy'],
      },
    })
    browser = await launchBrowser()
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } })
    page = await context.newPage()
    await page.goto(app.link)
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await upstream?.close()
    home?.remove()
  })

  test('the first steps tick themselves: Claude connected by one click, a session recorded, a search that finds', async () => {
    const view = (name: string) => page.getByRole('navigation').getByText(name, { exact: true }).click()
    const steps = page.getByRole('list', { name: 'Next steps' })
    await steps.getByRole('button', { name: 'Connect Claude Code' }).click()
    const connected = steps.getByRole('listitem').filter({ hasText: 'Connect Claude Code' })
    await connected.getByRole('img', { name: 'Done' }).waitFor()
    expect(existsSync(join(plugin(), 'hooks', 'hooks.json'))).toBe(true)

    await (await ask(app.proxy, { prompt: 'pick a heliotrope theme', session: randomUUID() })).text()
    const bar = page.getByRole('region', { name: 'First steps' })
    await bar.getByText('Record a session').waitFor()
    expect(await bar.getByRole('img', { name: 'Done' }).count()).toBe(2)
    await bar.getByRole('link', { name: 'Open Recall' }).click()
    await page.getByRole('searchbox').fill('heliotrope')
    // Found is enough: the answer may be read in the list.
    await page.getByRole('list', { name: 'Hits' }).getByRole('link').first().waitFor()
    await view('Live')
    await page.getByRole('region', { name: 'Event stream' }).waitFor()
    // A tick of the setup alone does not end them: Claude has to find something. A run that cannot ask needs the rule.
    await bar.getByText(/run -- claude -p ".*" --allowedTools mcp__plugin_aspy_aspy$/).waitFor()
    const recall = async (query: string) => {
      callId = `toolu_${query}`
      const called = { type: 'tool_use', id: callId, name: RECALL.tool, input: RECALL.input }
      const session = randomUUID()
      await (await ask(app.proxy, { prompt: SEARCH, session })).text()
      const { text } = await app.call<{ text: string }>('recall.context', { query })
      const result = { type: 'tool_result', tool_use_id: callId, content: [{ type: 'text', text }] }
      const history = [
        { role: 'user', content: SEARCH },
        { role: 'assistant', content: [called] },
      ]
      await (await ask(app.proxy, { prompt: [result], session, history })).text()
    }
    // One that finds nothing ends them as little, though it succeeds.
    const looked = page.waitForResponse((answer) => answer.url().includes('/api/events.children'))
    await recall('wistaria')
    await looked
    await bar.getByText('Next: Let Claude recall.').waitFor()
    expect(await bar.getByRole('img', { name: 'Done' }).count()).toBe(3)
    await recall('heliotrope')
    await bar.waitFor({ state: 'detached' })
    await app.call('claude_code.undo')
    await view('Settings')
  })

  heavily(test)(
    'shows what it would write, connects, turns on thinking summaries, and disconnects without a trace',
    async () => {
      await card().getByText('not connected').waitFor()
      await card().getByText(plugin(), { exact: true }).waitFor()
      await card()
        .getByText(/(?:^|\/bin\/)aspy setup --base-url$/)
        .waitFor()
      await card()
        .getByText(/What it costs: .*waits for minutes.*tool search/)
        .waitFor()
      expect(existsSync(plugin())).toBe(false)
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])

      await card().getByRole('button', { name: 'Connect', exact: true }).click()
      await card().getByText('connected', { exact: true }).waitFor()
      expect(existsSync(join(plugin(), 'hooks', 'hooks.json'))).toBe(true)
      expect(readFileSync(settings(), 'utf8')).toBe('{ "model": "opus" }')

      await card().getByRole('button', { name: 'Turn on thinking summaries' }).click()
      await card().getByText('on', { exact: true }).waitFor()
      expect(JSON.parse(readFileSync(settings(), 'utf8'))).toEqual({ model: 'opus', showThinkingSummaries: true })

      await card().getByRole('button', { name: 'Disconnect' }).click()
      await card().getByText('not connected').waitFor()
      expect(existsSync(plugin())).toBe(false)
      expect(readFileSync(settings(), 'utf8')).toBe('{ "model": "opus" }')
      await expect.poll(() => card().getByRole('button', { name: 'Disconnect' }).count(), POLL).toBe(0)
    },
  )

  test('puts the aspy command into a folder of the PATH by one click, and takes it out by another', async () => {
    const file = join(home.path, '.local/bin/aspy')
    await card().getByText(file, { exact: true }).waitFor()
    await card().getByRole('button', { name: 'Install command' }).click()
    await card().getByText('is not on the PATH that this app was started with', { exact: false }).waitFor()
    expect(readFileSync(file, 'utf8')).toContain('exec /usr/bin/node /opt/aspy/bin/aspy "$@"')
    await card().getByRole('button', { name: 'Remove command' }).click()
    await card().getByText('not installed', { exact: true }).waitFor()
    expect(existsSync(join(home.path, '.local'))).toBe(false)
  })

  test('shows why connecting failed and stops offering it', async () => {
    mkdirSync(plugin(), { recursive: true })
    await card().getByRole('button', { name: 'Connect', exact: true }).click()
    await card().getByRole('alert').getByText('was not installed by Aspy').waitFor()
    await card().getByText('conflict').waitFor()
    await expect.poll(() => card().getByRole('button').allTextContents()).toEqual(['Install command', ''])
  })

  test('a session with signatures only links to the setting for thinking summaries', async () => {
    const session = randomUUID()
    await (await ask(app.proxy, { prompt: 'think of something', session })).text()
    await expect
      .poll(() => app.call('events.count', { session_id: session, kind: 'thinking' }), POLL)
      .toEqual({ count: 1 })
    await page.getByRole('navigation').getByText('Sessions').click()
    await page.getByText('think of something').first().click()
    await page.getByRole('link', { name: /Thinking has signatures only/ }).click()
    await card().waitFor()
  })
})
