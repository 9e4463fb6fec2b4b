/**
 * Writes resources/icons from the window's icon. Run it after changing src/renderer/public/icon.svg. Chromium draws the
 * PNGs; ico and icns files are containers of PNGs.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser } from '../tests/support/window/browser.ts'
import { icns, ico } from './icon-containers.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'resources/icons')
const drawing = readFileSync(join(root, 'src/renderer/public/icon.svg'), 'utf8')
/** For macOS: only the eye, black on transparent. The system draws it in the colour of its menu bar. */
const template = drawing
  .replace(/<rect[^>]*\/>/, '')
  .replace('fill="#fff"', 'fill="none" stroke="#000" stroke-width="2.4"')
  .replace('fill="#4f46c8"', 'fill="#000"')

const browser = await launchBrowser()
const page = await browser.newPage()

/** Draws the icon at a size in pixels, with a margin given as a share of it. */
async function draw(svg: string, size: number, margin = 0): Promise<Buffer> {
  await page.setViewportSize({ width: size, height: size })
  const inner = Math.round(size * (1 - 2 * margin))
  const place = `position:absolute;left:${(size - inner) / 2}px;top:${(size - inner) / 2}px;width:${inner}px;height:${inner}px`
  await page.setContent(`<body style="margin:0;background:transparent">${svg.replace('<svg', `<svg style="${place}"`)}`)
  return page.screenshot({ omitBackground: true })
}

async function drawAll(sizes: readonly number[], margin = 0): Promise<Map<number, Buffer>> {
  const drawn = new Map<number, Buffer>()
  for (const size of sizes) drawn.set(size, await draw(drawing, size, margin))
  return drawn
}

mkdirSync(join(folder, 'linux'), { recursive: true })
for (const [size, png] of await drawAll([16, 32, 48, 64, 128, 256, 512])) {
  writeFileSync(join(folder, 'linux', `${size}x${size}.png`), png)
}
writeFileSync(join(folder, 'icon.png'), await draw(drawing, 512))
writeFileSync(join(folder, 'icon.ico'), ico(await drawAll([16, 24, 32, 48, 64, 128, 256])))
// macOS icons have a margin around their shape.
writeFileSync(join(folder, 'icon.icns'), icns(await drawAll([16, 32, 64, 128, 256, 512, 1024], 0.1)))
writeFileSync(join(folder, 'tray.png'), await draw(drawing, 32))
writeFileSync(join(folder, 'trayTemplate.png'), await draw(template, 16))
writeFileSync(join(folder, 'trayTemplate@2x.png'), await draw(template, 32))
await browser.close()
