import type { BrowserContextOptions } from 'playwright-core'
import { describe as anyDescribe } from 'vitest'
import { type AppGiven, test as appTest } from '../app/app-test.ts'
import { lacks } from '../runner/lacks.ts'
import { launchBrowser, openWindow } from './browser.ts'
import { findChromium } from './chromium.ts'
import { type HarnessOptions, startWindowHarness } from './harness.ts'
import { keepNotices } from './notices.ts'

/** Options of a file for its app, its pages and its harness, besides the defaults. */
export interface WindowGiven extends AppGiven {
  readonly screen?: BrowserContextOptions
  readonly live?: HarnessOptions['live']
}

/** Describes what needs a browser: skipped where there is none, except in CI. */
export const describe: ReturnType<typeof anyDescribe.skipIf> = anyDescribe.skipIf(lacks(findChromium() !== null))

/** A test in one page of one Chromium, over one app or over generated data. Each part starts when first asked for. */
export const test = appTest
  .extend('given', { scope: 'file' }, {} as WindowGiven)
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await launchBrowser()
    onCleanup(() => browser.close())
    return browser
  })
  .extend('context', { scope: 'file' }, async ({ browser, given }) => {
    const context = await browser.newContext(given.screen)
    await keepNotices(context)
    return context
  })
  /** Errors of the page, and requests to anyone but the servers of this file. */
  .extend('problems', { scope: 'file' }, (): string[] => [])
  .extend('page', { scope: 'file' }, ({ context, origins, problems }) =>
    openWindow(context, origins, (problem) => problems.push(problem)),
  )
  .extend('harness', { scope: 'file' }, async ({ given, origins }, { onCleanup }) => {
    const harness = await startWindowHarness(given)
    onCleanup(harness.stop)
    origins.add(harness.url)
    return harness
  })
  .extend('emptyHarness', { scope: 'file' }, async ({ origins }, { onCleanup }) => {
    const harness = await startWindowHarness({ mode: 'empty' })
    onCleanup(harness.stop)
    origins.add(harness.url)
    return harness
  })

/** The same test in a file that gives something to its app or its pages. */
export const given = (own: WindowGiven) => test.extend('given', { scope: 'file' }, own)
