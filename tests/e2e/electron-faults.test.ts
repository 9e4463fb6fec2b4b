import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../support/window/chromium.ts'
import { runSpec } from '../support/desktop/desktop-specs.ts'
import { isHeavy } from '../support/runner/heavy.ts'
import { launchDesktop, onRealElectron, type Desktop } from '../support/desktop/launch-desktop.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { faultsOfAPage, faultsOfTheApp, plantFaults, type PlantedFault } from '../support/desktop/planted-faults.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { lacks } from '../support/runner/lacks.ts'

/** Time limit for a spec of a broken app to fail, in ms. Every spec that fails waits this long. */
const PATIENCE_MS = isHeavy ? 15_000 : 60_000
const FIRST = 'shows its first view'
let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
})
afterAll(() => upstream.close())

/** Runs a built app without these guards and always ends it. */
async function withFaults(
  faults: readonly PlantedFault[],
  inspect: (desktop: Desktop) => Promise<void>,
): Promise<void> {
  using folder = makeTempFolder('aspy-fault-')
  using data = makeTempFolder('aspy-desktop-')
  const appFolder = plantFaults(folder.path, faults)
  const desktop = await launchDesktop({
    dataDir: data.path,
    upstream: upstream.url,
    appFolder,
    patienceMs: PATIENCE_MS,
  })
  try {
    await inspect(desktop)
  } finally {
    await desktop.end()
  }
}

const failure = (done: Promise<unknown>) =>
  done.then(
    () => null,
    (error: unknown) => error,
  )

/** A spec that passes without its guard would prove nothing. */
describe.skipIf(lacks(findChromium() !== null) || onRealElectron)('every spec fails without its guard', () => {
  test('a page without its guards fails every spec of the page', async () => {
    await withFaults(faultsOfAPage, async (desktop) => {
      await runSpec(FIRST, desktop)
      for (const { guard, spec } of faultsOfAPage) {
        expect(await failure(runSpec(spec, desktop)), `without: ${guard}`).toBeInstanceOf(Error)
      }
    })
  })

  test('planting a fault fails if its text is not in the bundles', () => {
    using folder = makeTempFolder('aspy-fault-')
    const fault = { guard: 'none', patches: [['no such text', '']], spec: 'shows its first view' } as const
    expect(() => plantFaults(folder.path, [fault])).toThrow('no such text')
  })

  test('the text of every fault is in the bundles', () => {
    for (const fault of [...faultsOfAPage, ...faultsOfTheApp]) {
      using folder = makeTempFolder('aspy-fault-')
      expect(() => plantFaults(folder.path, [fault]), fault.guard).not.toThrow()
    }
  })

  if (isHeavy) {
    const alone = [...faultsOfAPage, ...faultsOfTheApp]
    test.each(alone.map((fault) => [fault.guard, fault] as const))('without: %s', async (_guard, fault) => {
      let isUp = fault.spec === FIRST
      const failed = await failure(
        withFaults([fault], async (desktop) => {
          if (!isUp) await runSpec(FIRST, desktop)
          isUp = true
          await runSpec(fault.spec, desktop)
        }),
      )
      // An app that does not start would fail any spec.
      expect(isUp).toBe(true)
      expect(failed).toBeInstanceOf(Error)
      process.stderr.write(`${fault.guard}: ${String(failed).split('\n')[0]}\n`)
    })
  }
})
