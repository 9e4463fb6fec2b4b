import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAspy, type RunningCommand } from '../support/app/aspy-command.ts'
import { freePort } from '../support/runner/free-port.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { transcriptOf } from '../support/store/transcript-lines.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { keepNotices, noticed } from '../support/window/notices.ts'
import { lacks } from '../support/runner/lacks.ts'

const SESSIONS = 24
/** Turns of each: enough to be read for longer than the page takes to see that the app is back. */
const TURNS = 240

interface Ready {
  readonly app: string
  readonly token: string
}

describe.skipIf(lacks(findChromium() !== null))('an import of past sessions', () => {
  let browser: Browser
  let folder: TempFolder
  let page: Page
  let app: RunningCommand | undefined
  let ready: Ready
  let args: readonly string[]

  beforeAll(async () => {
    folder = makeTempFolder('aspy-import-')
    const project = join(folder.path, 'claude', 'projects', 'p')
    mkdirSync(project, { recursive: true })
    for (let at = 0; at < SESSIONS; at += 1)
      // The client's own IDs are random ones.
      writeFileSync(
        join(project, `past-${at}.jsonl`),
        transcriptOf(`past-${at}`, TURNS).join('').replaceAll('-0000-7000-', '-0000-4000-'),
      )
    const data = join(folder.path, 'data')
    const [port, proxyPort] = [await freePort(), await freePort()]
    args = ['serve', '--json', '--data', data, '--port', `${port}`, '--proxy-port', `${proxyPort}`]
    args = [...args, '--tunnel-port', '0', '--upstream', 'http://127.0.0.1:9']
    browser = await launchBrowser()
    page = await browser.newPage()
    await keepNotices(page)
  })
  afterAll(async () => {
    await browser?.close()
    app?.child.kill('SIGTERM')
    await app?.finished
    folder?.remove()
  })

  async function start(): Promise<void> {
    // A second attempt finds the app of the first.
    app?.signal('SIGKILL')
    await app?.finished
    app = startAspy(args, { CLAUDE_CONFIG_DIR: join(folder.path, 'claude') }, folder.path)
    ready = JSON.parse(await app.firstLine) as Ready
  }
  async function call<T>(name: string, input: object = {}): Promise<T> {
    const response = await fetch(`${ready.app}/api/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    return (await response.json()) as T
  }
  const strip = () => page.getByRole('region', { name: 'Import', exact: true }).filter({ hasText: 'Importing' })

  test('runs in the app: it is on every view, survives a reload and a kill, and never flows through Live', async () => {
    await start()
    await page.goto(`${ready.app}/#key=${ready.token}`)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await strip().getByText(`of ${SESSIONS} files`).waitFor()
    await strip()
      .getByTitle(/^p\/past-\d+\.jsonl$/)
      .waitFor()
    await page.goto(`${ready.app}/costs`)
    await strip().waitFor()

    app?.signal('SIGKILL')
    await app?.finished
    await page.getByRole('alert').filter({ hasText: 'Connection lost' }).waitFor()
    await start()
    // Its notice may come after that of the import's end.
    await page.getByRole('alert').filter({ hasText: 'Connection lost' }).waitFor({ state: 'detached' })
    // Without loading the page again: a page that opens after the end has nothing to say about the import.
    await page.getByRole('navigation').getByText('Live', { exact: true }).click()
    await page.waitForURL(`${ready.app}/live`)
    // Data read just before the kill may be missing from the counts.
    await noticed(page, /Import finished: \d+ sessions · [\d.,k]+ events · .* s/)
    await strip().waitFor({ state: 'detached' })
    expect(await call('transcripts.find')).toMatchObject({ imported_files: SESSIONS, new_bytes: 0 })
    expect(await call('events.count', { kind: 'user_prompt' })).toEqual({ count: SESSIONS * TURNS })

    for (const _ of ['as it was', 'opened again']) {
      await page.getByRole('region', { name: 'Event stream' }).waitFor()
      expect(await page.getByRole('region', { name: 'Event stream' }).getByText('asks').count()).toBe(0)
      expect(await page.getByText('not shown').count()).toBe(0)
      await page.goto(`${ready.app}/live`)
    }
    await page.goto(`${ready.app}/sessions`)
    await page.getByText('past-3 asks 0').first().waitFor()
  })
})
