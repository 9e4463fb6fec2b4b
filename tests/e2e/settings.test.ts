import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { lacks } from '../support/runner/lacks.ts'

const POLL = { timeout: 60_000 }

describe.skipIf(lacks(findChromium() !== null))('Settings', () => {
  let browser: Browser
  let app: TestApp
  let page: Page
  let folder: TempFolder
  const file = () => readFileSync(join(folder.path, 'config.toml'), 'utf8')

  beforeAll(async () => {
    folder = makeTempFolder()
    writeFileSync(join(folder.path, 'config.toml'), '# mine\n[lifestats]\nmax_prompt_size = 500 # short\n')
    app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path })
    browser = await launchBrowser()
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, reducedMotion: 'reduce' })
    page = await context.newPage()
    await page.goto(app.link)
    await page.getByRole('navigation').getByText('Settings').click()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    folder.remove()
  })

  test('a switch, a number, a list and a pattern are saved in their section, and invalid values are rejected', async () => {
    await page.getByRole('switch', { name: 'Store thinking' }).click()
    await expect.poll(file, POLL).toContain('store_thinking = false')
    const size = page.getByRole('textbox', { name: 'Longest stored prompt' })
    await size.fill('many')
    // Before anything is saved.
    await page.getByText('Enter a number.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await size.fill('600')
    await size.press('Enter')
    await expect.poll(file, POLL).toContain('max_prompt_size = 600 # short')
    await page.getByRole('textbox', { name: 'Tools not to record, one per line' }).fill('Bash\nmcp__*')
    await page.getByRole('region', { name: 'Filter' }).getByRole('button', { name: 'Save' }).click()
    await expect.poll(file, POLL).toContain('drop_tools = ["Bash", "mcp__*"]')
    await page.getByRole('group', { name: 'Kinds not to record' }).getByRole('button', { name: 'rate_limit' }).click()
    await expect.poll(file, POLL).toContain('drop_kinds = ["rate_limit"]')

    const patterns = page.getByRole('listitem').filter({ hasText: 'a list of { name, pattern }' })
    await patterns.getByRole('button', { name: 'Add' }).click()
    await patterns.getByLabel('name', { exact: true }).fill('order')
    await patterns.getByLabel('pattern', { exact: true }).fill('(')
    await patterns.getByRole('button', { name: 'Save' }).click()
    await patterns
      .getByRole('alert')
      .getByText(/nterminated/)
      .waitFor()
    await patterns.getByLabel('pattern', { exact: true }).fill(String.raw`ORD-\d+`)
    await patterns.getByRole('button', { name: 'Save' }).click()
    await expect.poll(file, POLL).toContain(String.raw`patterns = [{ name = "order", pattern = 'ORD-\d+' }]`)
    expect(file()).toMatch(/^# mine\n/)
  })

  test('a setting shows that it needs a restart, resets to its default, and cannot override the command line', async () => {
    const queue = page.getByRole('listitem').filter({ hasText: 'max_queue_bytes' })
    await expect.poll(() => queue.getByRole('textbox').inputValue()).toBe('64')
    await expect.poll(() => queue.getByRole('combobox').inputValue()).toBe('MB')
    await queue.getByRole('textbox').fill('32')
    await queue.getByRole('textbox').press('Enter')
    await queue.getByText('applies at next start').waitFor()
    await expect.poll(file, POLL).toContain('max_queue_bytes = 33554432')
    await queue.getByRole('button', { name: 'Reset to default' }).click()
    await queue.getByText('applies at next start').waitFor({ state: 'detached' })
    await expect.poll(file, POLL).not.toContain('max_queue_bytes')
    const upstream = page.getByRole('textbox', { name: 'API address', exact: true })
    await expect.poll(() => upstream.isDisabled()).toBe(true)
    await page.getByText('Set on the command line. Change it there.').first().waitFor()
  })

  test('the configured theme applies to the window', async () => {
    await page.getByRole('combobox', { name: 'Default theme' }).selectOption('solarized-dark')
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme']), POLL).toBe('solarized-dark')
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  })
})
