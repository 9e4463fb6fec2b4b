import { readdirSync, readFileSync } from 'node:fs'
import type { TeamDevice } from '../support/team/team-device.ts'
import type { TeamWorld } from '../support/team/team-world.ts'
import { seededRandom } from './seeded-random.ts'
import { EVENTS_A_SESSION, uuidAt } from './team-fill.ts'
import { quantiles } from './timed.ts'

const CLOCK_TICKS = 100
/** Words that filled texts are made of. */
const VOCABULARY = 50_000
const random = seededRandom(25)

/** Returns the processor seconds of the processes whose command line holds a text, and of their children. */
export function processorSeconds(marker: string): number {
  const ticks = new Map<string, { readonly parent: string; readonly ticks: number; readonly isNamed: boolean }>()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      ticks.set(pid, {
        parent: fields[1] ?? '',
        ticks: Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14]),
        isNamed: readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(marker),
      })
    } catch (error) {
      // A process may end while it is read.
      if (!(error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code)))) throw error
    }
  }
  // A child may have a lower number than its parent.
  const counts = (pid: string): boolean => {
    const found = ticks.get(pid)
    return found !== undefined && (found.isNamed || counts(found.parent))
  }
  return [...ticks].reduce((sum, [pid, { ticks: own }]) => (counts(pid) ? sum + own : sum), 0) / CLOCK_TICKS
}

/** Posts and reads the answer. Tries again if the server closed an idle connection: every call may be repeated. */
export async function post(url: string, session: string, body: string, isSecond = false): Promise<void> {
  try {
    const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${session}` }, body })
    const text = await response.text()
    if (!response.ok) throw new Error(`${url}: ${text}`)
  } catch (error) {
    if (isSecond || !(error instanceof TypeError)) throw error
    await post(url, session, body, true)
  }
}

export async function measureReads(
  team: Pick<TeamWorld, 'url' | 'database'> & { readonly postgres: { readonly folder: string } },
  admin: TeamDevice,
  { size, samples }: { readonly size: number; readonly samples: number },
): Promise<object> {
  const sessions = Math.floor(size / EVENTS_A_SESSION)
  const sessionAt = (n: number) => `filled ${(n * 7919) % sessions}`
  const monthAt = (n: number) => {
    const month = String((n % 9) + 1).padStart(2, '0')
    return { since: `2026-${month}-01`, until: `2026-${month}-28` }
  }
  const rare = () => `word${Math.floor(VOCABULARY * 0.3 + random() * 1000)}`
  const reads: Readonly<Record<string, (n: number) => readonly [string, object]>> = {
    'chain of 100': (n) => ['events.chain', { uuid: uuidAt(((n * 104_729) % Math.floor(size / 100)) * 100 + 99) }],
    'recent 50 of a session': (n) => ['events.recent', { session_id: sessionAt(n), limit: 50 }],
    'recent 50 of all': () => ['events.recent', { limit: 50 }],
    "a session's timeline": (n) => ['sessions.timeline', { session_id: sessionAt(n), limit: 500 }],
    'recall of three rare words': () => ['recall.search', { query: `${rare()} ${rare()} ${rare()}` }],
    'recall of a common word': () => ['recall.search', { query: 'word7' }],
    'costs by day': () => ['costs.series', { bucket: 'day' }],
    'costs by project': () => ['costs.breakdown', {}],
    'costs by project of 4 weeks': (n) => ['costs.breakdown', monthAt(n)],
    'cache misses by cause': () => ['cache.summary', {}],
    'cache misses by cause of 4 weeks': (n) => ['cache.summary', monthAt(n)],
    'newest 50 sessions': () => ['sessions.list', { limit: 50 }],
  }
  const figures: Record<string, string> = {}
  for (const [name, read] of Object.entries(reads)) {
    const times: number[] = []
    // A session of a device lasts 15 minutes, and all reads together take longer at ten million events.
    const session = await admin.session()
    console.error(`reading: ${name}`)
    const before = processorSeconds(team.database) + processorSeconds(team.postgres.folder)
    for (let n = 0; n < samples; n += 1) {
      const [operation, input] = read(n)
      const started = performance.now()
      await post(`${team.url}/api/${operation}`, session, JSON.stringify(input))
      times.push(performance.now() - started)
    }
    const { p50, p95 } = quantiles(times)
    const spent = processorSeconds(team.database) + processorSeconds(team.postgres.folder) - before
    figures[name] = `${p50.toFixed(0)} / ${p95.toFixed(0)} / ${((spent * 1000) / samples).toFixed(1)} ms`
  }
  return figures
}
