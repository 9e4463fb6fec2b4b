import { readFileSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'

/** Widths and heights of the window on a contact sheet, in px. */
export const SHEET_SIZES = [
  [420, 860],
  [1024, 700],
  [1440, 900],
  [2560, 1440],
] as const
export const SHEET_THEMES = ['light', 'dark'] as const
/** Bounds a sheet in the repository. */
const MAX_BYTES = 150_000
const HEIGHT_PX = 330
/** Charts are drawn again after a change of size. */
const SETTLE_MS = 700
const QUALITIES = [72, 62, 52, 42, 32] as const

/** Name of the screenshot of a view in a size and a theme. */
const shotName = (view: string, width: number, theme: string): string => `${view}-${width}-${theme}.png`

/** Takes a screenshot of the open view in each size, the widest last. */
export async function shootSizes(page: Page, folder: string, view: string, theme: string): Promise<void> {
  for (const [width, height] of SHEET_SIZES) {
    await page.setViewportSize({ width, height })
    await page.waitForTimeout(SETTLE_MS)
    await page.screenshot({ path: `${folder}/${shotName(view, width, theme)}` })
  }
  const [[width, height]] = SHEET_SIZES
  await page.setViewportSize({ width, height })
}

/** Puts the screenshots of one view side by side, a theme a row, and writes them as a JPEG of at most 150 KB. */
export async function writeContactSheet(browser: Browser, folder: string, view: string, file: string): Promise<void> {
  const rows = SHEET_THEMES.map((theme) => {
    const images = SHEET_SIZES.map(([width]) => {
      const data = readFileSync(`${folder}/${shotName(view, width, theme)}`).toString('base64')
      return `<img alt="" height="${HEIGHT_PX}" src="data:image/png;base64,${data}">`
    })
    return `<div>${images.join('')}</div>`
  })
  const context = await browser.newContext({ viewport: { width: 2200, height: 800 } })
  try {
    const page = await context.newPage()
    const style =
      'body{margin:0;background:#777;width:max-content}div{display:flex;gap:8px;padding:8px}img{display:block}'
    await page.setContent(`<style>${style}</style>${rows.join('')}`)
    const sheet = page.locator('body')
    for (const quality of QUALITIES) {
      const bytes = await sheet.screenshot({ type: 'jpeg', quality })
      if (bytes.length > MAX_BYTES) continue
      writeFileSync(file, bytes)
      return
    }
    throw new Error(`${file}: over ${MAX_BYTES} bytes at any quality`)
  } finally {
    await context.close()
  }
}
