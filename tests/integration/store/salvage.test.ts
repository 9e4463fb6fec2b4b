import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { checkStore } from '../../../src/main/store/read/check.ts'
import { quickCheck } from '../../../src/main/store/read/quick-check.ts'
import { salvage } from '../../../src/main/store/salvage/salvage.ts'
import type { Salvaged } from '../../../src/main/store/salvage/salvaged.ts'
import { isHeavy, runs } from '../../support/runner/heavy.ts'
import { pagesOf, readableEvents, storeOf400Pages, writeDamaged } from '../../support/store/damaged-store.ts'
import { HASH_KEY, readStore, temporaryFolder } from '../../support/store/folder.ts'
import { reading } from '../../support/store/reading.ts'

/** A salvage that reads the same rows again and again takes more steps than any other. */
const MOST_STEPS = 5000
const TIME_LIMIT_MS = isHeavy ? 60 * 60_000 : 480_000

function salvaged(path: string): Salvaged {
  const steps = salvage({ path, reason: 'a test', hashKey: HASH_KEY, pricing: createPricing() })
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const { done, value } = steps.next()
    if (done) return value
  }
  throw new Error('the salvage does not end')
}

function tried(work: () => Salvaged): Salvaged | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof Database.SqliteError) return null
    throw error
  }
}

const uuids = (path: string) =>
  readStore(path, (db) => new Set(db.prepare<[], string>('SELECT uuid FROM events').pluck().all()))

test(
  'whatever page is torn, doctor sees it, every event that can be read is salvaged, and the new database is whole',
  () => {
    const whole = storeOf400Pages()
    const pages = pagesOf(whole)
    const path = join(temporaryFolder(), 'lifestats.db')
    writeDamaged(path, whole, [], 'zeros')
    const all = uuids(path)
    const problems: string[] = []
    const account = { files: 0, whole: 0, part: 0, unreadable: 0, events: 0, kept: 0 }
    const count = runs(6, 400)
    for (let at = 0; at < count; at += 1) {
      const first = 2 + Math.floor((at * (pages - 1)) / count)
      const torn = at % 3 === 2 ? [first, 2 + ((first * 7) % (pages - 1))] : [first]
      const damage = at % 2 === 0 ? 'zeros' : 'garbage'
      const name = `${torn.join('+')} ${damage}`
      writeDamaged(path, whole, torn, damage)
      const readable = readableEvents(path, 10_000)
      account.files += 1
      if (quickCheck(path).fault === null) problems.push(`${name}: doctor finds nothing`)
      const salvage = tried(() => salvaged(path))
      if (salvage === null) {
        // A torn schema names no tables.
        if (readable !== null) problems.push(`${name}: nothing was salvaged`)
        account.unreadable += 1
        continue
      }
      const found = uuids(path)
      account.events += all.size
      account.kept += found.size
      account[found.size === all.size ? 'whole' : 'part'] += 1
      const lost = [...(readable?.keys() ?? [])].filter((uuid) => !found.has(uuid)).length
      if (lost > 0 || salvage.missing > all.size - found.size)
        problems.push(`${name}: ${lost} lost, ${salvage.missing} missing`)
      expect(reading(path, checkStore), name).toEqual({ damage: [], full_text: [] })
    }
    if (isHeavy) console.log(account)
    expect(problems).toEqual([])
  },
  TIME_LIMIT_MS,
)

test('a file that is cut within a page, whose rows then come out of order, is salvaged to its end', () => {
  const whole = storeOf400Pages()
  const path = join(temporaryFolder(), 'lifestats.db')
  writeFileSync(path, whole.subarray(0, Math.floor(0.6 * pagesOf(whole)) * 4096 + 1500))
  expect(salvaged(path).events).toBeGreaterThan(0)
  expect(reading(path, checkStore)).toEqual({ damage: [], full_text: [] })
})
