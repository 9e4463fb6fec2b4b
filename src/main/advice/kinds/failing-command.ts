import type { AdviceSession } from '../../store/read/advice-sessions.ts'
import type { FailedCall } from '../../store/read/advice-events.ts'
import type { AdviceKind, Candidate } from '../candidate.ts'
import type { Place } from '../place.ts'

const MIN_SESSIONS = 5
/** A command that fails less often is having a bad day. */
const MIN_SHARE = 0.4
const SHOWN_ERROR = 120

/** A command or tool that fails in the same way in session after session. */
export const failingCommand: AdviceKind = {
  kind: 'failing_command',
  find(place) {
    const worked = place.sessions.filter(({ calls }) => calls.length > 0)
    const failures = worked.flatMap(({ failed }) => failed)
    return [...Map.groupBy(failures, subjectOf)].flatMap(([subject, group]) => {
      const [first] = group
      const failed = new Set(group.map(({ session_id: id }) => id))
      if (first === undefined || failed.size < MIN_SESSIONS) return []
      const ran = worked.filter((session) => failed.has(session.session_id) || session.ran(first))
      return failed.size < MIN_SHARE * ran.length ? [] : [candidate(place, ran, subject, group)]
    })
  },
}

const subjectOf = ({ tool, command, error }: FailedCall): string => JSON.stringify([tool, command, error])

function candidate(
  place: Place,
  sessions: readonly AdviceSession[],
  subject: string,
  group: readonly FailedCall[],
): Candidate {
  const [first] = group
  const named = first === undefined || first.command === '' ? (first?.tool ?? '') : `\`${first.command}\``
  const bySession = Map.groupBy(group, ({ session_id: id }) => id)
  return {
    kind: 'failing_command',
    subject,
    place,
    tries: sessions.map((session) => tryOf(session, bySession.get(session.session_id) ?? [])),
    minHits: MIN_SESSIONS,
    headline: ({ hits, opportunities, usd }) =>
      `${named} failed in the same way in ${hits} of ${opportunities} sessions that ran it: ${usd} for the answers to that`,
    fix: {
      title: `Say in CLAUDE.md how ${named} works here, or make it work`,
      steps: [
        `It fails with: ${first?.error.slice(0, SHOWN_ERROR) ?? ''}`,
        'Name the right command, folder or option in one line.',
      ],
      ...(first === undefined || first.command === '' ? {} : { rule: first.command }),
      file: null,
      set: [],
    },
  }
}

/** A failure costs the answer that has to deal with it. */
function tryOf(session: AdviceSession, failures: readonly FailedCall[]) {
  const answers = new Set(
    failures.flatMap(({ event, agent_id: agent }) => {
      const next = session.calls.find((call) => call.id > event && call.agent_id === agent)
      return next === undefined ? [] : [next]
    }),
  )
  const [first] = failures
  return {
    at: session.started_at,
    event: first?.event ?? session.calls[0]?.id ?? 0,
    hit: first !== undefined,
    usd: [...answers].reduce((sum, { cost_usd: usd }) => sum + usd, 0),
    minutes: 0,
    claim: { of: 'calls', calls: [...answers].map(({ id }) => id) } as const,
  }
}
