import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import { ask } from '../support/app/ask.ts'
import { type TestApp } from '../support/app/start-app.ts'
import { until } from '../support/runner/until.ts'
import { accessFaults } from '../support/window/accessibility.ts'
import { noticed } from '../support/window/notices.ts'

const SESSION = 'lossy'

const test = given({
  answer: () => ({ steps: [{ text: 'As you say.' }] }),
  screen: { permissions: ['clipboard-read', 'clipboard-write'] },
})

describe('a resume that carries less, in the window', () => {
  test.beforeAll(async ({ page, app }) => {
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
  })

  async function say(app: TestApp, prompt: string, history: readonly object[]): Promise<void> {
    const known = await app.count({ session_id: SESSION, kind: 'model_response' })
    await (await ask(app.proxy, { session: SESSION, prompt, history })).text()
    await until(
      'it is recorded',
      async () => (await app.count({ session_id: SESSION, kind: 'model_response' })) > known,
    )
  }

  test('a notice and a banner say so, and what is missing is listed and copied', async ({ page, app, problems }) => {
    const hook = { session_id: SESSION, hook_event_name: 'SessionStart', cwd: '/home/user/project' }
    await app.call('hooks.post', { ...hook, source: 'startup' })
    await say(app, 'Oil the hinges', [])
    await page.goto(`${app.app}/sessions/${SESSION}`)
    await page.getByRole('region', { name: 'Transcript text' }).getByText('Oil the hinges').waitFor()
    const banner = page.getByRole('region', { name: 'Messages missing after the resume' })
    expect(await banner.count()).toBe(0)
    await app.call('hooks.post', { ...hook, source: 'resume' })
    await until('it is recorded', async () => (await app.count({ session_id: SESSION, kind: 'session_started' })) === 2)
    await say(app, 'And now?', [])
    await noticed(page, /A resumed session lacks 2 messages/)
    await page.reload()
    await banner.getByText(/with 0 of 2 messages\. The model does not see the other 2 messages\./).waitFor()
    expect(await accessFaults(page)).toEqual([])
    await banner.getByRole('button', { name: 'Show' }).click()
    const [first] = await banner.getByRole('listitem').all()
    await expect.poll(() => first?.textContent()).toBe('prompt · turn 1 · Oil the hinges')
    await banner.getByRole('button', { name: 'Copy what is missing' }).click()
    await noticed(page, /^Copied 2 texts, about \d+ tokens/)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\[lost prompt\]\n> Oil the hinges\n/)
    await first?.getByRole('button').click()
    await page.locator('.ring-accent').getByText('Oil the hinges').waitFor()
    await banner.getByRole('button', { name: 'Hide' }).click()
    await banner.waitFor({ state: 'detached' })
    expect(problems).toEqual([])
  })
})
