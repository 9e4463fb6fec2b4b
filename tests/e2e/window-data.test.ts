import { expect } from 'vitest'
import { ADDRESSES, FILES } from '../../src/shared/data-inventory.ts'
import { describe, given } from '../support/window/window-test.ts'
import { accessFaults } from '../support/window/accessibility.ts'

const test = given({ settings: { 'webhook.url': 'http://127.0.0.1:9/hook' } })

describe('what Aspy sees, stores and sends, in Health', () => {
  test('names every file, and every address with what is in force', async ({ page, app }) => {
    const { hostname, port } = new URL(app.link)
    await page.goto(app.link)
    await page.goto(`http://${hostname}:${port}/health`)
    const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'What Aspy sees, stores' }) })
    await card.getByText('What Aspy sees, stores').click()
    for (const { names } of FILES) await card.getByText(names.join(', '), { exact: true }).first().waitFor()
    for (const { sends } of ADDRESSES) await card.getByText(sends).first().waitFor()
    await card.getByText('http://127.0.0.1:9/hook', { exact: true }).waitFor()
    expect(await card.getByText(/: off$/).count()).toBe(3)
    expect(await accessFaults(page)).toEqual([])
  })
})
