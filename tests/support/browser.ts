import { chromium, type Browser } from 'playwright-core'
import { findChromium } from './chromium.ts'

/** Headless Chromium as this project starts it; throws where none was found (the set-up has said so by then). */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === null) throw new Error('no Chromium was found')
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
}
