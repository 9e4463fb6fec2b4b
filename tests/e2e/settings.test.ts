import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { accessFaults } from '../support/window/accessibility.ts'
import { describe, given } from '../support/window/window-test.ts'

const POLL = { timeout: 60_000 }

const test = given({ screen: { viewport: { width: 1440, height: 1000 } } })

describe('Settings', () => {
  const file = (folder: string) => readFileSync(join(folder, 'config.toml'), 'utf8')

  test.beforeAll(({ folder }) => {
    writeFileSync(join(folder, 'config.toml'), '# mine\n[lifestats]\nmax_prompt_size = 500 # short\n')
  })
  test.beforeAll(async ({ page, app }) => {
    await page.goto(app.link)
    await page.getByRole('navigation').getByText('Settings').click()
  })

  test('a switch, a number, a list and a pattern are saved in their section, and invalid values are rejected', async ({
    page,
    folder,
  }) => {
    await page.getByRole('switch', { name: 'Store thinking' }).click()
    await expect.poll(() => file(folder), POLL).toContain('store_thinking = false')
    const size = page.getByRole('textbox', { name: 'Longest stored prompt' })
    await size.fill('many')
    // Before anything is saved.
    await page.getByText('Enter a number.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await size.fill('600')
    await size.press('Enter')
    await expect.poll(() => file(folder), POLL).toContain('max_prompt_size = 600 # short')
    const tools = page.getByRole('listitem').filter({ hasText: 'filter.drop_tools' })
    for (const [at, tool] of ['Bash', 'mcp__*'].entries()) {
      await tools.getByRole('button', { name: 'Add' }).click()
      await tools.getByRole('textbox', { name: `Tools not to record, ${at + 1}` }).fill(tool)
    }
    await tools.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => file(folder), POLL).toContain('drop_tools = ["Bash", "mcp__*"]')
    await page.getByRole('group', { name: 'Do not record' }).getByRole('button', { name: 'Limits' }).click()
    await expect.poll(() => file(folder), POLL).toContain('drop_kinds = ["rate_limit"]')

    const patterns = page.getByRole('listitem').filter({ hasText: 'redaction.patterns' })
    await patterns.getByRole('button', { name: 'Add' }).click()
    await patterns.getByLabel('Name', { exact: true }).fill('order')
    await patterns.getByLabel('Pattern', { exact: true }).fill('(')
    // At the field, before anything is saved.
    await patterns
      .getByRole('alert')
      .getByText(/nterminated/)
      .waitFor()
    await patterns.getByLabel('Pattern', { exact: true }).fill(String.raw`ORD-\d+`)
    await patterns.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => file(folder), POLL)
      .toContain(String.raw`patterns = [{ name = "order", pattern = 'ORD-\d+' }]`)
    expect(file(folder)).toMatch(/^# mine\n/)
  })

  test('what most people look for comes first, and the list leads to every card', async ({ page }) => {
    const sections = page.getByRole('navigation', { name: 'Sections' }).getByRole('button')
    const names = await sections.allInnerTexts()
    expect(names.slice(0, 4)).toEqual(['Claude Code', 'Theme', 'Import', 'Recording'])
    expect(names.indexOf('Proxy')).toBeGreaterThan(names.indexOf('Budgets'))
    await sections.filter({ hasText: 'OpenTelemetry' }).click()
    await expect.poll(() => page.getByRole('heading', { name: 'OpenTelemetry' }).isVisible()).toBe(true)
    await page.getByRole('textbox', { name: 'OpenAI, with an API key' }).waitFor()
    // What only the desktop app has is found by a search.
    expect(await page.getByText('app.start_at_login').count()).toBe(0)
    await page.getByRole('searchbox').fill('start at login')
    await page.getByText('app.start_at_login').waitFor()
    await page.getByRole('searchbox').fill('')
  })

  test('a setting shows that it needs a restart, resets to its default, and cannot override the command line', async ({
    page,
    folder,
  }) => {
    const queue = page.getByRole('listitem').filter({ hasText: 'max_queue_bytes' })
    await expect.poll(() => queue.getByRole('textbox').inputValue()).toBe('64')
    await expect.poll(() => queue.getByRole('combobox').inputValue()).toBe('MB')
    await queue.getByRole('textbox').fill('32')
    await queue.getByRole('textbox').press('Enter')
    await queue.getByText('changed; applies at the next start').waitFor()
    await expect.poll(() => file(folder), POLL).toContain('max_queue_bytes = 33554432')
    await queue.getByRole('button', { name: 'Reset to default' }).click()
    await queue.getByText('changed; applies at the next start').waitFor({ state: 'detached' })
    await expect.poll(() => file(folder), POLL).not.toContain('max_queue_bytes')
    const upstream = page.getByRole('textbox', { name: 'API address', exact: true })
    await expect.poll(() => upstream.isDisabled()).toBe(true)
    await page.getByText('Set on the command line. Change it there.').first().waitFor()
  })

  test('the configured theme applies to the window', async ({ page }) => {
    await page.getByRole('combobox', { name: 'Default theme' }).selectOption('solarized-dark')
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme']), POLL).toBe('solarized-dark')
    expect(await accessFaults(page, ['solarized-dark'])).toEqual([])
  })
})
