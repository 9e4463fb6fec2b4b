import type { AdviceSession } from '../../store/read/advice-sessions.ts'
import { isMissing, type FailedCall } from '../../store/read/advice-events.ts'
import { quietTry, sessionsWithout, type AdviceKind, type Candidate, type SettingsFix, type Try } from '../candidate.ts'
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
    const failures = worked.flatMap(({ failed }) => failed.filter((call) => !isTestResult(call)))
    return [...Map.groupBy(failures, subjectOf)].flatMap(([subject, group]) => {
      const [first] = group
      if (first === undefined || sessionsOf(group).size < MIN_SESSIONS) return []
      // What passes later, unchanged, failed because of what was worked on.
      const passed = new Map(worked.map(({ session_id: id, passed }) => [id, passed]))
      const lasting = group.filter((call) => passed.get(call.session_id)?.(call) !== true)
      const failed = sessionsOf(lasting)
      if (failed.size < MIN_SESSIONS) return []
      const ran = worked.filter((session) => failed.has(session.session_id) || session.ran(first))
      return [
        { ...candidate({ place, worked, ran }, subject, lasting), isSeldom: failed.size < MIN_SHARE * ran.length },
      ]
    })
  },
}

const sessionsOf = (calls: readonly FailedCall[]): ReadonlySet<string> => new Set(calls.map(({ session_id: id }) => id))

/** Commands whose failure says how something else is: tests, checks, jobs, services. */
const TESTS =
  /^(?:\S+ ){1,3}(?:test|check|spec|e2e)\S*$|\b(?:vitest|jest|mocha|ava|playwright|cypress|pytest|unittest|tox|nox|rspec|phpunit|ctest|nextest|node --test)\b|^(?:gh run|glab ci|systemctl|kubectl (?:rollout|wait))\b/
/** A test run that could not begin, unlike one that found something. */
const NEVER_RAN =
  /not found|no such|missing script|cannot find|can't find|could not find|unable to|unknown (?:option|command|argument)|unrecognized|not recognized|denied|no tests?\b|usage:|no module/i
/** A script whose name, or that of its folder, says that it tests. */
const TEST_SCRIPT =
  /^(?:(?:\w*sh|python[\d.]*|node|ruby|perl|php)\s+)?\S*(?<![a-z])(?:tests?|spec|e2e)(?![a-z])[^\s/]*(?:\/[^\s/]*)?(?:\s|$)/i
/** An option that has something checked, not done. */
const CHECKS = /\s--?(?:check|exit-code|dry-run|list-different)\b/
/** What a hook of git found. */
const BY_HOOK = /\b(?:husky|lint-staged|lefthook|pre-(?:commit|push))\b/
const isTestResult = ({ command, input, error }: FailedCall): boolean => {
  // Not the folder in which it runs.
  const own = command === '' ? '' : input.slice(input.indexOf(command.split(' ', 1)[0] ?? ''))
  return (
    (TESTS.test(command) || TEST_SCRIPT.test(own) || CHECKS.test(own) || BY_HOOK.test(error)) && !NEVER_RAN.test(error)
  )
}

const subjectOf = ({ tool, command, error, input }: FailedCall): string =>
  JSON.stringify([tool, command, error, ...(command === '' && isMissing(error) ? [input] : [])])

function candidate(
  { place, worked, ran }: { place: Place; worked: readonly AdviceSession[]; ran: readonly AdviceSession[] },
  subject: string,
  group: readonly FailedCall[],
): Candidate {
  const [first] = group
  const bySession = Map.groupBy(group, ({ session_id: id }) => id)
  const named = first?.command ? `\`${first.command}\`` : (first?.tool ?? '')
  return {
    kind: 'failing_command',
    subject,
    place,
    tries: ran.map((session) => tryOf(session, bySession.get(session.session_id) ?? [])),
    without: sessionsWithout(worked, ran),
    minHits: MIN_SESSIONS,
    headline: ({ hits, opportunities, usd }) =>
      `${named} failed in the same way in ${hits} of ${opportunities} sessions that ran it: ${usd} for the answers that dealt with it`,
    fix: first === undefined ? null : fixFor(first, named),
  }
}

/** Needs a person, once: nothing that is written down helps. */
const SIGN_IN =
  /unauthorized|not (?:logged|signed) in|token (?:has |is )?expired|authentication (?:failed|required)|bad credentials/i

function fixFor(first: FailedCall, named: string): SettingsFix {
  const seen = `It fails with: ${first.error.slice(0, SHOWN_ERROR)}`
  if (SIGN_IN.test(first.error))
    return { title: `Sign in to what ${named} uses`, steps: [seen, 'Sign in once; to an MCP server with /mcp.'] }
  if (first.command === '')
    return {
      title: `Say in CLAUDE.md what ${named} needs`,
      steps: [seen, 'Say in one line what has to be done first.'],
      ...ruleAbout(first),
    }
  return {
    title: `Say in CLAUDE.md how ${named} works here, or make it work`,
    steps: [seen, 'Name the right command, folder or option in one line.'],
    rule: first.command,
  }
}

/** A line that names a tool is about its failure if it shares two words with the error. */
function ruleAbout({ tool, error }: FailedCall): Pick<SettingsFix, 'rule' | 'ruleWords'> {
  const words = [...new Set(error.toLowerCase().match(/[a-z]{4,}/g))].filter((word) => word !== tool.toLowerCase())
  return { rule: tool, ruleWords: { words, least: 2 } }
}

/** A failure costs the answer that has to deal with it: that of the next request, in whatever order they were stored. */
function tryOf(session: AdviceSession, failures: readonly FailedCall[]): Try {
  const [first] = failures
  if (first === undefined) return quietTry(session)
  const answers = new Set(
    failures.flatMap(({ at, agent_id: agent }) => {
      const next = session.calls.find((call) => call.at >= at && call.agent_id === agent)
      return next === undefined ? [] : [next]
    }),
  )
  const usd = [...answers].reduce((sum, { cost_usd: one }) => sum + one, 0)
  const claim = { of: 'calls', calls: [...answers].map(({ id }) => id) } as const
  return { at: session.started_at, event: first.event, hit: true, usd, minutes: 0, claim }
}
