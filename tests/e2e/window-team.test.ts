import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../support/app/start-app.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { fillWithDemo } from '../support/team/demo-folder.ts'
import { lacksPostgres } from '../support/team/postgres-server.ts'
import { must, startTeam, type TeamWorld } from '../support/team/team-world.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'

describe.skipIf(lacksPostgres || findChromium() === null)("the window over a team's history", () => {
  const folder = makeTempFolder('aspy-team-window-')
  let team: TeamWorld
  let browser: Browser
  let link = ''

  beforeAll(async () => {
    team = await startTeam()
    fillWithDemo(folder.path, 'window', 4)
    await team.join(folder.path, 'ann')
    await using app = await startApp({
      upstream: 'http://127.0.0.1:9',
      dataDir: folder.path,
      settings: { 'team.policy': 'full' },
    })
    const events = await app.count()
    await until('it arrived', async () => Number(await team.sql('SELECT count(*) FROM events')) === events)
    link = await must(['team', 'open', '--data', folder.path])
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await team?.[Symbol.asyncDispose]()
    folder.remove()
  })

  test('shows sessions, a conversation and costs by member, and says what it does not have', async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(link)
    const title = await team.sql('SELECT title FROM sessions ORDER BY last_event_at DESC LIMIT 1')
    await page.getByText(title).first().click()
    const prompt = await team.sql(`SELECT left(t.content, 40) FROM texts t JOIN sessions s USING (session_id)
      WHERE t.kind = 'user_prompt' AND s.title = $t$${title}$t$ ORDER BY t.ts LIMIT 1`)
    await page.getByText(prompt).first().waitFor()
    const { origin } = new URL(link)
    await page.goto(`${origin}/costs?range=all`)
    await page.getByText('By member').waitFor()
    await page.getByRole('cell', { name: 'ann', exact: true }).waitFor()
    await page.getByText(/a team's history cannot answer this: cache\.summary/).waitFor()
    const word = /[a-z]{6,}/.exec(prompt)?.[0] ?? ''
    await page.goto(`${origin}/recall?q=${word.slice(0, 5)}`)
    await page.locator('mark').first().waitFor()
  })

  test('a link without a valid session shows nothing', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(link.replace(/#key=.*/, '#key=forged'))
    const { origin } = new URL(link)
    const status = await page.evaluate(async (url) => (await fetch(`${url}/api/lifestats/sessions`)).status, origin)
    expect(status).toBe(401)
    await context.close()
  })
})
