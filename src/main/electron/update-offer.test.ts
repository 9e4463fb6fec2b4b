import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { offerUpdates } from './update-offer.ts'

const URL = 'https://github.com/owner/aspy/releases/latest/download'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-offer-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Starts the packed app's offer twice, and returns what was asked and set. */
async function offeredTwice(feed: string | null, response: number, current = '') {
  rmSync(join(folder, 'updates.json'), { force: true })
  if (feed !== null) writeFileSync(join(folder, 'app-update.yml'), feed)
  const asked: string[] = []
  const set: unknown[] = []
  const answers: Record<string, object> = { 'config.get': { items: [{ key: 'app.update_url', value: current }] } }
  const offer = () =>
    offerUpdates({
      resources: folder,
      folder,
      dispatch: {
        call: async (name, input) => {
          if (name === 'config.set') set.push(input)
          return new TextEncoder().encode(JSON.stringify(answers[name] ?? {}))
        },
      },
      ask: async ({ detail }) => {
        asked.push(detail)
        return { response }
      },
    })
  await offer()
  await offer()
  return { asked, set }
}

test('asks once, says which address it would ask, and sets it only if wanted', async () => {
  const feed = `provider: generic\nurl: ${URL}\nupdaterCacheDirName: aspy-updater\n`
  const wanted = await offeredTwice(feed, 0)
  expect(wanted.asked).toEqual([expect.stringContaining(`ask ${URL} for`)])
  expect(wanted.set).toEqual([{ key: 'app.update_url', value: URL }])
  const refused = await offeredTwice(feed, 1)
  expect([refused.asked.length, refused.set]).toEqual([1, []])
})

test('asks nothing if there is no address to ask, or one of your own', async () => {
  for (const feed of [null, '', 'url: http://example.org/plain', 'provider: generic']) {
    expect(await offeredTwice(feed, 0)).toEqual({ asked: [], set: [] })
  }
  expect(await offeredTwice(`url: ${URL}`, 0, 'https://mine.example')).toEqual({ asked: [], set: [] })
})

test('says that the address of the package cannot be read', async () => {
  mkdirSync(join(folder, 'app-update.yml'))
  await expect(offeredTwice(null, 0)).rejects.toThrow('EISDIR')
})
