import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessFaults } from '../support/window/accessibility.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { type HarnessMode, startWindowHarness } from '../support/window/harness.ts'
import { lacks } from '../support/runner/lacks.ts'

const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'

describe.skipIf(lacks(findChromium() !== null))('the cost of the context in the window', () => {
  let browser: Browser
  let page: Page
  const harnesses = new Map<HarnessMode, Awaited<ReturnType<typeof startWindowHarness>>>()
  const open = async (path: string, mode: HarnessMode = 'full') => page.goto(`${harnesses.get(mode)?.url}${path}`)

  beforeAll(async () => {
    browser = await launchBrowser()
    page = await browser.newPage()
    for (const mode of ['full', 'empty'] as const) harnesses.set(mode, await startWindowHarness({ mode }))
  })
  afterAll(async () => {
    await browser?.close()
    for (const harness of harnesses.values()) await harness.stop()
  })

  test('Costs shows what the context cost by kind, tool and prompt; a prompt leads to its session', async () => {
    await open('/costs?tab=context')
    const card = page.getByRole('region', { name: 'Cost of the context' })
    await card
      .getByText(
        'Input cost $100.00 in the last 30 days. The largest part is “Tool results”: $40.00, 40%. 12 MCP tools never called: $4.10.',
      )
      .waitFor()
    const rows = await card.getByRole('row').allInnerTexts()
    expect(rows.map((row) => row.split(/\s*\t\s*/))).toEqual([
      ['What', 'Cost', 'Share', 'Cache read', 'Cache write', 'Input'],
      ['Tool results', '$40.00', '40%', '40M', '3.6M', '400k'],
      ['System prompt', '$30.00', '30%', '30M', '2.7M', '300k'],
      ['Tool definitions', '$20.00', '20%', '20M', '1.8M', '200k'],
      ['Unknown', '$10.00', '10%', '10M', '900k', '100k'],
    ])
    await card.getByText('The context of 143 requests is unknown: $10.00.').waitFor()
    expect(await accessFaults(page)).toEqual([])
    await card.getByRole('button', { name: 'Tool', exact: true }).click()
    await card.getByText('mcp__tracker__list_open_issues', { exact: true }).waitFor()
    await card.getByText('No tool', { exact: true }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('carry')).toBe('tool')
    await card.getByRole('button', { name: 'Prompt' }).click()
    await card.getByRole('link', { name: 'Why is the orbit wrong?' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/sessions/${SESSION}`)
  })
})
