import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { transcriptOf } from '../support/store/transcript-lines.ts'
import { lacks } from '../support/runner/lacks.ts'

describe.skipIf(lacks(findChromium() !== null))('the first start with transcripts on disk', () => {
  let browser: Browser
  let app: TestApp
  let claude: TempFolder
  const { HOME, CLAUDE_CONFIG_DIR } = process.env

  beforeAll(async () => {
    claude = makeTempFolder('aspy-claude-')
    mkdirSync(join(claude.path, 'projects', 'p'), { recursive: true })
    for (const name of ['first', 'second'])
      writeFileSync(join(claude.path, 'projects', 'p', `${name}.jsonl`), transcriptOf(name, 20).join(''))
    process.env['HOME'] = claude.path
    process.env['CLAUDE_CONFIG_DIR'] = claude.path
    app = await startApp({ upstream: 'http://127.0.0.1:9' })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    claude?.remove()
    Object.assign(process.env, { HOME, ...(CLAUDE_CONFIG_DIR === undefined ? {} : { CLAUDE_CONFIG_DIR }) })
    if (CLAUDE_CONFIG_DIR === undefined) delete process.env['CLAUDE_CONFIG_DIR']
  })

  test('reports what was found, imports nothing until asked, then shows the sessions', async () => {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.goto(app.link)
    await page.getByText(/^2 sessions, .* about 1/).waitFor()
    expect((await app.call<{ items: unknown[] }>('sessions.list')).items).toEqual([])
    await page.getByRole('navigation').getByText('Sessions').click()
    await page.getByRole('main').getByRole('button', { name: 'Import' }).waitFor()
    await page.getByRole('navigation').getByText('Settings').click()
    await page.locator('#section-import').getByRole('button', { name: 'Import' }).click()
    await page.getByText(/^Imported 2 sessions · \d+ events · .*s\. See/).waitFor()
    await page.getByRole('navigation').getByText('Sessions').click()
    await page.getByText('first asks 0').first().waitFor()
    await page.getByText('second asks 0').first().waitFor()
    await page.getByRole('navigation').getByText('Live').click()
    await page.getByText('No active sessions').waitFor()
    await page.getByText('Listening. Events appear here as they happen.').waitFor()
    await expect.poll(() => app.call('transcripts.find')).toMatchObject({ imported_files: 2, following: true })
    expect(problems).toEqual([])
    await page.close()
  })
})
