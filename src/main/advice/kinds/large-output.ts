import type { LargeOutput } from '../../store/read/advice-outputs.ts'
import type { AdviceSession } from '../../store/read/advice-sessions.ts'
import { quietTry, type AdviceKind, type Candidate, type Try } from '../candidate.ts'
import type { Place } from '../place.ts'

const MIN_SESSIONS = 3
const NONE: ReadonlySet<number> = new Set()

/** A command or tool whose long output stays in the context for the rest of the session, and is not used again. */
export const largeOutput: AdviceKind = {
  kind: 'large_output',
  find(place) {
    const worked = place.sessions.filter(({ calls }) => calls.length > 0)
    const outputs = worked.flatMap(({ outputs }) => outputs)
    return [...Map.groupBy(outputs, subjectOf)].flatMap(([subject, group]) =>
      new Set(group.map(({ session_id: id }) => id)).size < MIN_SESSIONS
        ? []
        : [candidate(place, worked, subject, group)],
    )
  },
}

/** Of what is looked through, the end is as good as the rest. */
const LOOKS = /^(?:git|gh|glab|grep|rg|ag|ack|find|fd|ls|tree|diff|jq|curl|kubectl|docker)\b/

function stepsFor(named: string, { command, is_agent: isAgent }: LargeOutput): readonly string[] {
  const less = isAgent
    ? 'Say in the task, or in the file of the agent, how long the answer may be, and that details belong in a file.'
    : command === ''
      ? `Ask ${named} for less: a narrower query, fewer fields, a smaller page.`
      : LOOKS.test(command)
        ? 'Say in CLAUDE.md to ask for less first: names or counts (`git diff --stat`, `rg -l`), then the part that matters.'
        : `Name the quiet form in CLAUDE.md, or have only the end shown, with the exit code kept: set -o pipefail; ${command} 2>&1 | tail -n 40`
  return [less, 'If it must be long, start a new session after it, or run /compact.']
}

const subjectOf = ({ tool, command }: LargeOutput): string => JSON.stringify([tool, command])

function candidate(
  place: Place,
  sessions: readonly AdviceSession[],
  subject: string,
  group: readonly LargeOutput[],
): Candidate {
  const [first] = group
  const isCommand = first !== undefined && first.command !== ''
  const named = isCommand ? `\`${first.command}\`` : first?.is_agent === true ? 'agents' : (first?.tool ?? '')
  const bySession = Map.groupBy(group, ({ session_id: id }) => id)
  const tokens = group.map((one) => one.tokens).toSorted((one, other) => one - other)[group.length >> 1] ?? 0
  return {
    kind: 'large_output',
    subject,
    place,
    tries: sessions.map((session) => tryOf(session, bySession.get(session.session_id) ?? [])),
    minHits: MIN_SESSIONS,
    headline: ({ hits, opportunities, usd }) =>
      `${hits} of ${opportunities} sessions carried output of ${named}, about ${(tokens / 1000).toFixed(1)}k tokens each, ` +
      `in later turns, which did not use it: ${usd}`,
    fix: {
      title: `Make the output of ${named} short`,
      steps: first === undefined ? [] : stepsFor(named, first),
      ...(isCommand ? { rule: first.command } : {}),
    },
  }
}

function tryOf(session: AdviceSession, outputs: readonly LargeOutput[]): Try {
  const costly = outputs.filter((one) => one.carriedUsd(NONE) > 0)
  const [first] = costly.toSorted((one, other) => other.carriedUsd(NONE) - one.carriedUsd(NONE))
  if (first === undefined) return quietTry(session)
  const usd = costly.reduce((sum, one) => sum + one.carriedUsd(NONE), 0)
  const amount = costly.reduce((sum, one) => sum + one.tokens, 0)
  const claim = { of: 'outputs', outputs: costly } as const
  return { at: session.started_at, event: first.event, hit: true, usd, minutes: 0, amount, claim }
}
