import { serverOf } from '../../ledger/carried-thing.ts'
import { quietTry, type AdviceKind, type Candidate } from '../candidate.ts'
import type { Place } from '../place.ts'
import type { AdviceSession, CarriedServer } from '../../store/read/advice-sessions.ts'

/** Never used says little before so many sessions could have used it. */
const MIN_SESSIONS = 10

/** MCP servers whose definitions every request of a project carries, and that nothing calls there. */
export const carriedUnused: AdviceKind = {
  kind: 'carried_unused',
  looksElsewhere: true,
  find(place, all) {
    // Where no call of any MCP tool was ever recorded, calls may just not be seen.
    const isSeen = all.some(({ client, sessions }) => client === place.client && sessions.some(callsAny))
    if (!isSeen) return []
    const used = new Set(place.sessions.flatMap(({ called }) => [...called].map(serverOf)))
    const servers = new Set(place.sessions.flatMap(({ servers }) => servers.map(({ server }) => server)))
    return [...servers].filter((server) => !used.has(server)).map((server) => candidate(place, all, server))
  },
}

const isCaptured = ({ calls }: AdviceSession): boolean => calls.some(({ is_captured: is }) => is)
const callsAny = ({ called }: AdviceSession): boolean => called.size > 0

function candidate(place: Place, all: readonly Place[], server: string): Candidate {
  const carried = place.sessions.flatMap((session) =>
    session.servers.filter((one) => one.server === server).map((found) => ({ session, found })),
  )
  // Where it is not carried any more, it was denied or removed.
  const since = Math.min(...carried.map(({ session }) => session.started_at))
  const carrying = new Set(carried.map(({ session }) => session))
  const without = place.sessions.filter((one) => one.started_at > since && !carrying.has(one) && isCaptured(one))
  const tools = new Set(carried.flatMap(({ found }) => found.tools)).size
  const elsewhere = all.find(
    (other) =>
      other.project !== place.project &&
      other.sessions.some(({ called }) => [...called].some((tool) => serverOf(tool) === server)),
  )
  return {
    kind: 'carried_unused',
    subject: server,
    place,
    tries: [...carried.map(({ session, found }) => tryOf(session, found)), ...without.map(quietTry)],
    minHits: MIN_SESSIONS,
    headline: ({ hits, usd }) =>
      `${hits} sessions carried ${tools === 1 ? '1 tool' : `${tools} tools`} of the MCP server "${server}" and none called it: ${usd}`,
    fix: {
      title: `Deny the MCP server "${server}" in this project`,
      steps: [
        `Add "mcp__${server}" to the denied tools of this project: its tools are then left out of each request.`,
        elsewhere?.project == null
          ? `If you need it nowhere, remove it: claude mcp remove ${server}`
          : `It is used in ${elsewhere.project}: it can be added to that project alone.`,
      ],
      set: [{ path: ['permissions', 'deny'], value: `mcp__${server}`, add: true }],
    },
  }
}

const tryOf = ({ session_id, started_at: at }: AdviceSession, { server, usd, call }: CarriedServer) => ({
  at,
  event: call,
  hit: true,
  usd,
  minutes: 0,
  claim: { of: 'server', session_id, server } as const,
})
