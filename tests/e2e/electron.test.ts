import { join } from 'node:path'
import { _electron, type ElectronApplication } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AspyBridge, BridgeAnswer } from '../../src/shared/bridge.ts'
import { ask } from '../support/ask.ts'
import { findChromium } from '../support/chromium.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/messages-upstream.ts'
import { makeTempFolder } from '../support/temp-folder.ts'

const project = join(import.meta.dirname, '../..')
/** Unset ASPY_REAL_ELECTRON: the double of tests/support runs the built bundles; set: Electron itself does. */
const onRealElectron = process.env['ASPY_REAL_ELECTRON'] === '1'

describe.skipIf(findChromium() === null)(
  `the desktop app (on ${onRealElectron ? 'Electron' : 'the test double'})`,
  () => {
    const data = makeTempFolder('aspy-desktop-')
    let upstream: MessagesUpstream
    let desktop: ElectronApplication

    beforeAll(async () => {
      upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'An answer from the other side.' }] }))
      if (!onRealElectron) {
        process.env['ELECTRON_OVERRIDE_DIST_PATH'] = join(project, 'tests/support/electron-double')
      }
      desktop = await _electron.launch({
        args: [project],
        env: {
          ...(process.env as Record<string, string>),
          ASPY_DATA: data.path,
          ASPY_PROXY_PORT: '0',
          ASPY_APP_PORT: '0',
          ASPY_PROXY_UPSTREAM: upstream.url,
        },
      })
    })
    afterAll(async () => {
      await desktop?.close()
      await upstream?.close()
      data.remove()
    })

    test('paints the window, whose page has two functions, and they reach the same operations', async () => {
      const page = await desktop.firstWindow()
      await page.getByRole('navigation').getByText('Live').waitFor()
      const names = await page.evaluate(() => Object.keys((window as unknown as { aspy: AspyBridge }).aspy))
      expect(names).toEqual(['call', 'subscribe'])

      const health = await page.evaluate(() => (window as unknown as { aspy: AspyBridge }).aspy.call('health.get', {}))
      expect(health.ok).toBe(true)
      const { proxy_url } = JSON.parse((health as Extract<BridgeAnswer, { ok: true }>).json) as { proxy_url: string }

      const batch = page.evaluate(
        () =>
          new Promise<string>((resolve) => {
            const stop = (window as unknown as { aspy: AspyBridge }).aspy.subscribe(
              'live.subscribe',
              { kinds: ['user_prompt'] },
              (json) => {
                if (!json.includes('across the bridge')) return
                stop()
                resolve(json)
              },
              (error) => resolve(`ended: ${error?.message ?? 'no error'}`),
            )
          }),
      )
      await (await ask(proxy_url, { prompt: 'A question that goes across the bridge' })).text()
      expect(JSON.parse(await batch)).toMatchObject({
        events: [{ kind: 'user_prompt', text: 'A question that goes across the bridge' }],
      })
      await page.getByText('A question that goes across the bridge').first().waitFor()

      const wrong = await page.evaluate(() => (window as unknown as { aspy: AspyBridge }).aspy.call('no.such', {}))
      expect(wrong).toMatchObject({ ok: false, error: { code: 'not_found' } })
    })
  },
)
