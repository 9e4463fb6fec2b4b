import { afterAll, beforeAll, describe, test } from 'vitest'
import { findChromium } from '../support/window/chromium.ts'
import { desktopSpecs, runSpec } from '../support/desktop/desktop-specs.ts'
import { launchDesktop, onRealElectron, type Desktop } from '../support/desktop/launch-desktop.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { lacks } from '../support/runner/lacks.ts'

/** One app runs all specs in turn: on the test double, or on Electron if ASPY_REAL_ELECTRON is 1. */
describe.skipIf(lacks(findChromium() !== null || onRealElectron))(
  `the desktop app (on ${onRealElectron ? 'Electron' : 'the test double'})`,
  () => {
    const data = makeTempFolder('aspy-desktop-')
    let upstream: MessagesUpstream
    let desktop: Desktop

    beforeAll(async () => {
      upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'An answer from the other side.' }] }))
      desktop = await launchDesktop({ dataDir: data.path, upstream: upstream.url })
    })
    afterAll(async () => {
      await desktop?.close()
      await upstream?.close()
      data.remove()
    })

    for (const { name, needsUnix } of desktopSpecs) {
      test.skipIf(needsUnix && process.platform === 'win32')(name, () => runSpec(name, desktop))
    }
  },
)
