import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedRun } from '../../src/main/decode/fixtures/recorded-runs.ts'
import { loadHashKey } from '../../src/main/base/hash-key.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { configSchema } from '../../src/shared/config.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { sessionRows } from '../support/window/session-rows.ts'
import { findChromium } from '../support/window/chromium.ts'
import { liveDrafts, transcriptDrafts } from '../support/store/recorded-stores.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { lacks } from '../support/runner/lacks.ts'

/** Stores a session of the real client as seen by the proxy and by its transcript. Returns its id. */
function fill(dataDir: string): string {
  const recorded = { name: 'resume-compact', run: recordedRun('resume-compact') }
  const store = openStore({ dataDir, hashKey: loadHashKey(dataDir), limits: configSchema.parse({}).lifestats })
  const live = liveDrafts(recorded)
  store.ingest.append(live)
  store.ingest.append(transcriptDrafts(recorded))
  store.maintenance.checkpoint()
  store.close()
  return live[0]?.session_id ?? ''
}

describe.skipIf(lacks(findChromium() !== null))('the usage of a session', () => {
  let browser: Browser
  let folder: TempFolder
  let app: TestApp
  let session = ''

  beforeAll(async () => {
    folder = makeTempFolder()
    session = fill(folder.path)
    app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    folder?.remove()
  })

  test("compares the client's own total with ours and shows calls that only the proxy saw", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(app.link)
    await page.getByRole('navigation').getByRole('link', { name: 'Sessions' }).click()
    await page.getByRole('searchbox').fill(session)
    await expect.poll(() => sessionRows(page).count()).toBe(1)
    // Cost by turn is requested at the same time and takes longer; other cards do not wait for it.
    const held = Promise.withResolvers<void>()
    await page.route('**/api/sessions.usage*', async (route) => {
      await held.promise
      await route.continue()
    })
    await sessionRows(page).first().getByRole('link').first().click()
    await page.getByRole('button', { name: 'Usage' }).click()
    const card = page.getByRole('region', { name: 'Cost by source' })
    await card.getByText('Claude Code', { exact: true }).waitFor()
    expect(await page.getByRole('region', { name: 'Cost by turn' }).count()).toBe(0)
    held.resolve()
    await page.getByRole('region', { name: 'Cost by turn' }).waitFor()
    await card.getByText('Proxy only').waitFor()
    await expect.poll(() => card.textContent()).toMatch(/total as of .*1 request: titles, summaries/)
  })
})
