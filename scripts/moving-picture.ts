/**
 * Draws the moving picture of README.md, a terminal beside the window, from the demo: `npm run screenshots:moving`.
 * Commands run in a terminal of their own (`script` of util-linux), and what they print is shown as it is.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../tests/support/window/browser.ts'
import { type Frame, animatedWebp } from './animated-webp.ts'
import { startDemoApp } from './demo-app.ts'

const WINDOW = { width: 900, height: 640 }
const TERMINAL_PX = 500
const COLUMNS = 58
const SIZE = { width: WINDOW.width + TERMINAL_PX, height: WINDOW.height }
const QUALITY = 0.8

const root = join(import.meta.dirname, '..')

const sheet = `body{margin:0;display:flex;background:#16161d}
pre{box-sizing:border-box;width:${TERMINAL_PX}px;height:${SIZE.height}px;margin:0;padding:16px;overflow:hidden;
font:13px/19px 'DejaVu Sans Mono',monospace;color:#d8d8e0;white-space:pre-wrap;word-break:break-all}
img{display:block}`

/** Output of a command as a terminal of 58 columns shows it, without its colours. */
function output(command: string, data: string): string {
  const words = `stty cols ${COLUMNS}; node src/main/cli/aspy.ts ${command} --data ${data}`
  const printed = execFileSync('script', ['-qec', words, '/dev/null'], { cwd: root, encoding: 'utf8' })
  return stripVTControlCharacters(printed).replaceAll('\r', '').trimEnd()
}

interface Pixels {
  before?: ImageData
}

/** Runs in a page: crops a picture to what differs from the one before it, as WebP; null if nothing does. */
async function cropToChange({ whole, quality }: { readonly whole: string; readonly quality: number }) {
  const image = new Image()
  image.src = `data:image/png;base64,${whole}`
  await image.decode()
  const { width, height } = image
  const pen = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  if (pen === null) throw new Error('no canvas')
  pen.drawImage(image, 0, 0)
  const pixels = pen.getImageData(0, 0, width, height)
  const state = globalThis as unknown as Pixels
  const [now, before] = [new Uint32Array(pixels.data.buffer), new Uint32Array(state.before?.data.buffer ?? [])]
  state.before = pixels
  let [left, top, right, bottom] = [width, height, 0, 0]
  for (let at = 0; at < now.length; at += 1) {
    if (now[at] === before[at]) continue
    const [x, y] = [at % width, Math.floor(at / width)]
    ;[left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)]
  }
  if (right === 0) return null
  const [x, y] = [left - (left % 2), top - (top % 2)]
  const part = new OffscreenCanvas(right - x, bottom - y)
  part.getContext('2d')?.drawImage(image, -x, -y)
  const bytes = new Uint8Array(await (await part.convertToBlob({ type: 'image/webp', quality })).arrayBuffer())
  const still = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return { x, y, width: right - x, height: bottom - y, still }
}

/** Takes pictures of two pages side by side, and keeps what changed since the one before. */
class Camera {
  readonly frames: Frame[] = []
  private readonly window: Page
  private readonly stage: Page
  private readonly lab: Page
  private terminal = ''

  constructor(window: Page, stage: Page, lab: Page) {
    this.window = window
    this.stage = stage
    this.lab = lab
  }

  async take(ms: number): Promise<void> {
    const picture = (await this.window.screenshot()).toString('base64')
    await this.stage.setContent(`<style>${sheet}</style><pre></pre><img src="data:image/png;base64,${picture}">`)
    await this.stage.locator('pre').evaluate((element, text) => (element.textContent = text), `${this.terminal}▌`)
    const whole = (await this.stage.screenshot()).toString('base64')
    const part = await this.lab.evaluate(cropToChange, { whole, quality: QUALITY })
    if (part !== null) this.frames.push({ ...part, ms, still: Buffer.from(part.still, 'base64') })
  }

  /** Clears the terminal, types a command, and shows what it prints. */
  async run(command: string, data: string, ms: number): Promise<void> {
    this.terminal = '$ '
    for (const piece of `aspy ${command}`.match(/.{1,5}/g) ?? []) {
      this.terminal += piece
      await this.take(160)
    }
    this.terminal += `\n${output(command, data)}\n\n$ `
    await this.take(ms)
  }
}

const app = await startDemoApp()
const browser = await launchBrowser()
try {
  const { ready } = app
  const context = await browser.newContext({ viewport: WINDOW, reducedMotion: 'reduce', colorScheme: 'dark' })
  const window = await context.newPage()
  const wide = await browser.newContext({ viewport: SIZE })
  const camera = new Camera(window, await wide.newPage(), await wide.newPage())
  const open = async (path: string, seen: string): Promise<void> => {
    await window.goto(`${ready.app}${path}#key=${ready.token}`)
    await window.locator(seen).first().waitFor()
    await window.waitForTimeout(1200)
  }
  await open('/live', 'main article, main h2')
  await camera.run('sessions --limit 5', ready.data, 500)
  for (let beat = 0; beat < 14; beat += 1) {
    await window.waitForTimeout(500)
    await camera.take(500)
  }
  await open('/recall?q=invoice+rounding', 'mark')
  await camera.run('recall invoice rounding --limit 3', ready.data, 3500)
  await open('/costs?tab=why', 'main h2')
  await camera.run('advise', ready.data, 4500)
  const picture = animatedWebp(SIZE.width, SIZE.height, camera.frames)
  writeFileSync(join(root, 'docs/images/moving.webp'), picture)
  console.log(`${camera.frames.length} frames, ${picture.length} bytes`)
} finally {
  await browser.close()
  await app.stop()
}
// Closing a browser of `launchBrowser` leaves the Chromium running that test files share.
process.exit()
