import { expect, test } from 'vitest'
import { adviceList } from '../../../src/main/operations/reader/advice.ts'
import type { Advice } from '../../../src/shared/contract/advice.ts'
import { DAY_MS, MINUTE_MS, MONTH_DAYS } from '../../../src/shared/time-units.ts'
import { few, isHeavy } from '../../support/runner/heavy.ts'
import { seeded } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import { CLEAN, WASTES } from '../../support/upstream/planted-wastes.ts'
import { ImportedMonths } from '../../support/upstream/imported-months.ts'
import { ToldMonths } from '../../support/upstream/told-months.ts'

type Telling = (typeof WASTES)[string] | (typeof CLEAN)[string]

/** Days without work before a day: none, those between weekends, holidays, or a week after each burst. */
const RHYTHMS: readonly ((day: number) => number)[] = [
  () => 0,
  (day) => (day % 2 === 0 ? 5.5 : 0.5),
  (day) => (day === 6 ? 16 : 0.5),
  (day) => (day % 4 === 0 ? 7 : -0.3),
]

/** Tells weeks of work, on the wire or in transcripts alone; returns what they planted and the suggestions. */
async function told(tell: Telling, seed: number, month: ToldMonths = new ToldMonths()) {
  const random = seeded(seed)
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1))
  const of = { days: between(11, 15), minutes: between(1, 40), words: between(60, 300), turns: between(1, 3), random }
  const planted = { usd: 0, minutes: 0, about: 0 }
  for (let day = 0; day < of.days; day += 1) {
    month.wait((RHYTHMS[seed % RHYTHMS.length]?.(day) ?? 0) * DAY_MS)
    const added = Object(await tell(month, month.begin(`/work/app-${seed}`), day, of)) as Partial<typeof planted>
    planted.usd += added.usd ?? 0
    planted.minutes += added.minutes ?? 0
    planted.about += added.about ?? 0
  }
  if (month instanceof ImportedMonths) month.importAll()
  const items = reading(month.dbPath, (reader) => adviceList(reader, { evidence: 500 }).items)
  return { planted, items }
}

/** Runs each telling equally often, with another seed each time. */
const each = <T extends Telling>(tells: Readonly<Record<string, T>>, count: number) => {
  const named = Object.entries(tells)
  return Array.from({ length: count }, (_, at) => {
    const [name, tell] = named[at % named.length] as [string, T]
    return { name, tell, seed: 100 + at }
  })
}

/** Says how far the stake is from what was planted: nothing if it is exact, or inside the band where it is estimated. */
function stakeError(
  { planted }: Pick<Awaited<ReturnType<typeof told>>, 'planted'>,
  item: Advice | undefined,
): string[] {
  if (item === undefined) return []
  const { usd_per_month: usd, minutes_per_month: minutes, band } = item
  const months = Math.max(1, item.recorded_days / MONTH_DAYS)
  const about = planted.about / months
  const isRight =
    planted.about > 0
      ? about >= band[0] && about <= band[1]
      : Math.abs(usd - planted.usd / months) <= 1e-9 && Math.abs(minutes - planted.minutes / months) <= 1e-6
  return isRight ? [] : [`${item.kind}: ${usd} USD, ${minutes} minutes of ${JSON.stringify(planted)}`]
}

test(
  'planted wastes are found with their money, and nothing else is suggested',
  { timeout: 20 * MINUTE_MS },
  async () => {
    let [found, right, wrong] = [0, 0, 0]
    const missed: string[] = []
    const stakes: string[] = []
    const planted = each(WASTES, isHeavy ? 80 : 8)
    for (const { name, tell, seed } of planted) {
      const month = await told(tell, seed)
      const kinds = month.items.map(({ kind }) => String(kind))
      const item = month.items.find(({ kind }) => kind === name)
      if (item === undefined || kinds.length > 1) missed.push(`${name} ${seed}: ${kinds.join(', ')}`)
      stakes.push(...stakeError(month, item))
      if (item !== undefined) found += 1
      right += kinds.filter((kind) => kind === name).length
      wrong += kinds.filter((kind) => kind !== name).length
    }
    for (const { name, tell, seed } of each(Object.fromEntries(few(Object.entries(CLEAN), 3)), isHeavy ? 108 : 3)) {
      const kinds = (await told(tell, seed)).items.map(({ kind }) => kind)
      wrong += kinds.length
      if (kinds.length > 0) missed.push(`${name} ${seed}: ${kinds.join(', ')}`)
    }
    expect(found / planted.length, missed.join('\n')).toBeGreaterThanOrEqual(0.9)
    expect(right / (right + wrong), missed.join('\n')).toBeGreaterThanOrEqual(0.95)
    expect(stakes).toEqual([])
  },
)

/** What transcripts show as well as the wire does. */
const IN_TRANSCRIPTS = ['pauses', 'large_output', 'failing_command', 'costly_agents'] as const

test.each(IN_TRANSCRIPTS)('of transcripts alone, %s are found with their money', async (kind) => {
  const tell = WASTES[kind]
  if (tell === undefined) throw new Error(kind)
  const month = await told(tell, 300 + kind.length, new ImportedMonths())
  expect(month.items.map(({ kind: one }) => one)).toEqual([kind])
  expect(stakeError(month, month.items[0])).toEqual([])
})
