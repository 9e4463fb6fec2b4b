import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { heavily } from '../support/runner/heavy.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { fillWithDemo } from '../support/team/demo-folder.ts'
import { batchOf, fullEvent, joinByHand } from '../support/team/team-device.ts'
import { accessFaults } from '../support/window/accessibility.ts'
import { lacksPostgres } from '../support/team/postgres-server.ts'
import { must, startTeam, type TeamWorld } from '../support/team/team-world.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { lacks } from '../support/runner/lacks.ts'

describe.skipIf(lacksPostgres || lacks(findChromium() !== null))("the window over a team's history", () => {
  const folder = makeTempFolder('aspy-team-window-')
  let team: TeamWorld
  let browser: Browser
  let link = ''
  let app: TestApp

  beforeAll(async () => {
    team = await startTeam()
    fillWithDemo(folder.path, 'window', 4)
    await team.join(folder.path, 'ann')
    app = await startApp({
      upstream: 'http://127.0.0.1:9',
      dataDir: folder.path,
      settings: { 'team.policy': 'full' },
    })
    const events = await app.count()
    await until('it arrived', async () => Number(await team.sql('SELECT count(*) FROM events')) === events)
    link = await must(['team', 'open', '--data', folder.path])
    const bob = await joinByHand(team.url, await team.invite('bob'))
    const text = 'the pelican queue of bob'
    const shared = { session_id: 'of-bob', text, payload: { text }, shared: true, project: 'aviary' }
    await bob.call('/team/v1/batches', batchOf(bob, [fullEvent(bob, shared)]))
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await team?.[Symbol.asyncDispose]()
    folder.remove()
  })

  test('shows sessions, a conversation and costs by member, and says what it does not have', async () => {
    const page = await browser.newPage()
    await page.goto(link)
    const title = await team.sql('SELECT title FROM sessions WHERE member_id = 1 ORDER BY last_event_at DESC LIMIT 1')
    await page.getByText(title).first().click()
    const prompt = await team.sql(`SELECT left(t.content, 40) FROM texts t JOIN sessions s USING (session_id)
      WHERE t.kind = 'user_prompt' AND s.title = $t$${title}$t$ ORDER BY t.ts LIMIT 1`)
    await page.getByText(prompt).first().waitFor()
    const { origin } = new URL(link)
    await page.goto(`${origin}/costs?range=all`)
    await page.getByText('By member').waitFor()
    await page.getByRole('cell', { name: 'ann', exact: true }).waitFor()
    await page.goto(`${origin}/costs?range=all&tab=why`)
    await page.getByText(/^Cache misses cost \$/).waitFor()
    await page.goto(`${origin}/costs?range=all&tab=context`)
    await page.getByText(/cannot answer this: carry\.list, because what was carried is read from bodies/).waitFor()
    const word = /[a-z]{6,}/.exec(prompt)?.[0] ?? ''
    await page.goto(`${origin}/recall?q=${word.slice(0, 5)}`)
    await page.locator('mark').first().waitFor()
    await page.close()
  })

  test('a server says which views are on laptops', async () => {
    const page = await browser.newPage()
    await page.goto(await must(['team', 'open', '--data', folder.path]))
    for (const [view, title] of [
      ['Live', "A team's history has no live feed"],
      ['Health', 'Health is shown on each laptop'],
      ['Settings', 'Settings are on each laptop'],
    ] as const) {
      await page.getByRole('navigation').getByText(view, { exact: true }).click()
      await page.getByRole('heading', { name: title }).waitFor()
    }
    await expect.poll(() => page.getByRole('group', { name: 'History' }).count()).toBe(0)
    await page.close()
  })

  test('the window of a member switches between Mine and Team, and every link stays there', async () => {
    const page = await browser.newPage()
    await page.goto(app.link)
    const history = page.getByRole('group', { name: 'History' })
    const views = page.getByRole('navigation')
    await views.getByText('Sessions', { exact: true }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.getByRole('table').getByRole('row').nth(4).waitFor()
    await expect.poll(() => page.getByText('title of of-bob').count()).toBe(0)
    await history.getByRole('button', { name: 'Team' }).click()
    await page.getByText('title of of-bob').click()
    await page.getByText('the pelican queue of bob').filter({ visible: true }).first().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('history')).toBe('team')
    await page.reload()
    await page.getByText('the pelican queue of bob').filter({ visible: true }).first().waitFor()
    await views.getByText('Costs', { exact: true }).click()
    await page.getByText('By member').waitFor()
    await views.getByText('Recall', { exact: true }).click()
    await page.getByRole('searchbox').or(page.getByRole('combobox')).first().fill('pelican')
    await page.locator('mark', { hasText: 'pelican' }).first().waitFor()
    await views.getByText('Tools', { exact: true }).click()
    await page.getByRole('heading', { name: 'Tools' }).waitFor()
    expect(await accessFaults(page)).toEqual([])
    await views.getByText('Live', { exact: true }).click()
    await page.getByRole('heading', { name: "A team's history has no live feed" }).waitFor()
    await page.getByRole('button', { name: 'Show mine' }).click()
    await page.waitForURL((url) => url.pathname === '/live' && url.search === '')
    await page.getByRole('heading', { name: "A team's history has no live feed" }).waitFor({ state: 'detached' })
    await views.getByText('Sessions', { exact: true }).click()
    await page.getByRole('table').getByRole('row').nth(4).waitFor()
    await expect.poll(() => page.getByText('title of of-bob').count()).toBe(0)
    await page.close()
  })

  heavily(test)('Settings says of each project what is sent, and who can read it', async () => {
    const page = await browser.newPage()
    const { hostname, port } = new URL(app.link)
    const { items } = await app.call<{ items: { project: string }[] }>('sessions.list', { limit: 1 })
    const project = items[0]?.project ?? ''
    await page.goto(app.link)
    await page.goto(`http://${hostname}:${port}/settings`)
    const policy = page.getByRole('region', { name: 'Who can read what' })
    const row = policy.getByRole('row').filter({ has: page.getByText(project, { exact: true }) })
    for (const [shared, words] of [
      [true, 'every member'],
      [false, 'you, readers and admins'],
    ] as const) {
      const rules = [
        { project, policy: 'full', shared },
        { project: '/**', policy: 'off' },
      ]
      await app.call('config.set', { key: 'team.projects', value: rules })
      await row.getByText(words).waitFor()
      await policy.getByText('only you').first().waitFor()
    }
    expect(await accessFaults(page)).toEqual([])
    await policy.scrollIntoViewIfNeeded()
    await app.call('config.set', { key: 'team.projects', value: [] })
    await page.close()
  })

  heavily(test)('lowering the policy in Settings asks whether to withdraw what was sent', async () => {
    const page = await browser.newPage()
    const ofAnn = async () => Number(await team.sql('SELECT count(*) FROM events WHERE member_id = 1'))
    const before = await ofAnn()
    const { hostname, port } = new URL(app.link)
    await page.goto(app.link)
    await page.goto(`http://${hostname}:${port}/settings`)
    const projects = await app.call<{ items: { project: string }[] }>('sessions.list', { limit: 1 })
    const off = [{ project: projects.items[0]?.project ?? '', policy: 'off' }]
    await app.call('config.set', { key: 'team.projects', value: [] })
    const rows = page.getByRole('listitem').filter({ hasText: 'Rules for projects' })
    await rows.getByRole('button', { name: 'Add' }).click()
    await rows.getByLabel('Project folder', { exact: true }).fill(off[0]?.project ?? '')
    await rows.getByLabel('What is sent', { exact: true }).selectOption('off')
    await rows.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Withdraw from the team' })
    await dialog.getByText(/no longer sent/).waitFor()
    expect(await accessFaults(page)).toEqual([])
    expect(await ofAnn()).toBe(before)
    await dialog.getByRole('button', { name: 'Delete from the team' }).click()
    await page.getByText(/Withdrawn: \d+/).waitFor()
    expect(await ofAnn()).toBeLessThan(before)
    await page.close()
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
