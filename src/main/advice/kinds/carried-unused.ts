import { serverOf } from '../../ledger/carried-thing.ts'
import { idOf, quietTry, type AdviceKind, type Candidate, type Try } from '../candidate.ts'
import { isWorth, type Place } from '../place.ts'
import { namesOf } from '../same-server.ts'
import type { AdviceSession, CarriedServer } from '../../store/read/advice-sessions.ts'

const kind = 'carried_unused'
/** Never used says little before so many sessions could have used it. */
const MIN_SESSIONS = 10

/** MCP servers whose definitions every request of a project carries, and that nothing calls there. */
export const carriedUnused: AdviceKind = {
  kind,
  looksElsewhere: true,
  find(place, all, decisions) {
    // Where no call of any MCP tool was ever recorded, calls may just not be seen.
    const isSeen = all.some(({ client, sessions }) => client === place.client && sessions.some(callsAny))
    if (!isSeen) return []
    const unused = namesOf(place.sessions).filter((names) => !isCalled(place, names))
    const isDecided = (firsts: readonly string[]) => idOf({ kind, place, subject: subjectOf(firsts) }) in decisions
    const groups = Object.values(decisions).flatMap(({ servers = [] }) => (isDecided(servers) ? [servers] : []))
    const sure = unused.filter((names) => carriedIn(place, names).length >= MIN_SESSIONS)
    const small = sure.filter((names) => !isWorth(place, usdOf(carriedIn(place, names)), 0))
    // What was decided, alone or together, stays as it was.
    const decided = groups.flat()
    const left = small.map(firstOf).filter((first) => !isDecided([first]) && !decided.includes(first))
    const together = [...groups, ...(left.length < 2 ? [] : [left])].flatMap((firsts) => {
      const servers = unused.filter((names) => firsts.includes(firstOf(names)))
      return servers.length === 0 ? [] : [candidate(place, all, servers, firsts.toSorted())]
    })
    return [...unused.map((names) => candidate(place, all, [names])), ...together]
  },
}

/** All names of one server, the first one first. */
type Names = readonly string[]
const firstOf = ([first = '']: Names): string => first
const subjectOf = (firsts: readonly string[]): string => firsts.toSorted().join(' ')

const isCaptured = ({ calls }: AdviceSession): boolean => calls.some(({ is_captured: is }) => is)
const callsAny = ({ called }: AdviceSession): boolean => called.size > 0
const isCalled = ({ sessions }: Place, names: Names): boolean =>
  sessions.some(({ called }) => [...called].some((tool) => names.includes(serverOf(tool) ?? '')))

const carriedIn = ({ sessions }: Place, names: Names): readonly CarriedServer[] =>
  sessions.flatMap(({ servers }) => servers.filter(({ server }) => names.includes(server)))

const usdOf = (found: readonly CarriedServer[]): number => found.reduce((sum, { usd }) => sum + usd, 0)

/** `group`: the first names of servers that are suggested together. */
function candidate(
  place: Place,
  all: readonly Place[],
  servers: readonly Names[],
  group: readonly string[] | null = null,
): Candidate {
  const names = servers.flat()
  const carried = place.sessions.flatMap((session) => {
    const found = session.servers.filter(({ server }) => names.includes(server))
    return found.length === 0 ? [] : [{ session, found }]
  })
  // Where it is not carried any more, it was denied or removed.
  const since = Math.min(...carried.map(({ session }) => session.started_at))
  const carrying = new Set(carried.map(({ session }) => session))
  const without = place.sessions.filter((one) => one.started_at > since && !carrying.has(one) && isCaptured(one))
  const tools = Math.max(...carried.map(({ found }) => found.flatMap((one) => one.tools).length))
  const isOne = servers.length === 1
  const newest = servers.flatMap((one) => one.at(-1) ?? [])
  const quoted = newest.map((name) => `"${name}"`).join(', ')
  const elsewhere = isOne ? all.find((other) => other.project !== place.project && isCalled(other, names)) : undefined
  const toRemove = newest.map((name) => `claude mcp remove ${name}`).join('; ')
  return {
    kind,
    subject: subjectOf(group ?? servers.map(firstOf)),
    ...(group === null ? {} : { servers: group }),
    place,
    tries: [...carried.map(({ session, found }) => tryOf(session, found)), ...without.map(quietTry)],
    minHits: MIN_SESSIONS,
    headline: ({ hits, usd }) =>
      `${hits} sessions carried ${tools === 1 ? '1 tool' : `${tools} tools`} of the MCP server${isOne ? '' : 's'} ${quoted} ` +
      `and none called ${isOne ? 'it' : 'them'}: ${usd}`,
    fix: {
      title: `Deny the MCP server${isOne ? '' : 's'} ${quoted} in this project`,
      steps: [
        `Add ${newest.map((name) => `"mcp__${name}"`).join(', ')} to the denied tools of this project: ${isOne ? 'its' : 'their'} tools are then left out of each request.`,
        ...(names.length > servers.length
          ? [`Its name changes: it was "${names[0]}" before. A rule holds for one name.`]
          : []),
        elsewhere?.project == null
          ? `If you need ${isOne ? 'it' : 'them'} nowhere, remove ${isOne ? 'it' : 'them'}: ${toRemove}`
          : `It is used in ${elsewhere.project}: it can be added to that project alone.`,
      ],
      set: newest.map((name) => ({ path: ['permissions', 'deny'], value: `mcp__${name}`, add: true as const })),
    },
  }
}

const tryOf = ({ session_id, started_at: at }: AdviceSession, found: readonly CarriedServer[]): Try => ({
  at,
  session: session_id,
  event: Math.min(...found.map(({ call }) => call)),
  hit: true,
  usd: usdOf(found),
  minutes: 0,
  claim: { of: 'servers', session_id, servers: found },
})
