import type { AskedCall } from '../../store/read/advice-events.ts'
import type { AdviceKind, Candidate } from '../candidate.ts'
import type { Place } from '../place.ts'

const MIN_ASKS = 10
/** A person who needs longer was away: the question did not keep them. */
const LONGEST_WAIT_MINUTES = 10

/**
 * Commands that check or read, and that clients ask about. They ask nobody about `ls` or `git diff`, unless an option
 * makes it write; a rule would allow that, too, as it would `--fix` of a linter.
 */
const ONLY_CHECKS =
  /^(?:(?:npm|pnpm|yarn|bun) (?:test|run (?:test|typecheck))|cargo (?:test|check)|go (?:test|vet)|pytest|gh (?:pr|issue|run) (?:view|list))$/

/** Commands that check in these very words, and that an option makes write: a rule for no other words allows them alone. */
const EXACT_CHECK =
  /^(?:(?:npx |bunx |pnpm |yarn )?(?:tsc --noEmit(?: -p \S+)?|(?:eslint|oxlint|ruff check|mypy)(?: [\w.@*][\w./@*-]*)?)|(?:npm|pnpm|yarn|bun) run (?:lint|check)|cargo clippy|make (?:test|lint|check))$/

/** Permissions that are asked again and again, and always given. */
export const permissions: AdviceKind = {
  kind: 'permissions',
  find(place) {
    const asked = place.sessions.flatMap((session) => session.asked).filter(({ approved }) => approved !== null)
    const subjectOf = (ask: AskedCall) => JSON.stringify([ask.tool, isExact(ask) ? ask.text : ask.command])
    return [...Map.groupBy(asked, subjectOf)].flatMap(([subject, asks]) =>
      asks.every(isHarmless)
        ? candidate(
            place,
            subject,
            asks.filter((ask) => ask.is_plain || isExact(ask)),
          )
        : [],
    )
  },
}

const isExact = ({ text }: AskedCall): boolean => EXACT_CHECK.test(text)

/** One refusal says that the question is worth its time. */
const isHarmless = (ask: AskedCall): boolean => ask.approved === true && (isExact(ask) || ONLY_CHECKS.test(ask.command))

/** Sessions after the first question that ran the command without one are opportunities, too. */
function candidate(place: Place, subject: string, asks: readonly AskedCall[]): Candidate[] {
  const [first] = asks
  if (first === undefined) return []
  const { tool, at: since } = first
  const isAsItIs = isExact(first)
  const command = isAsItIs ? first.text : first.command
  const rule = isAsItIs ? `${tool}(${command})` : `${tool}(${command}:*)`
  const asking = new Set(asks.map(({ session_id: id }) => id))
  const quiet = place.sessions.filter(
    (session) => session.started_at > since && !asking.has(session.session_id) && session.ran(first),
  )
  const noMoney = { usd: 0, claim: { of: 'nothing' } as const }
  const found: Candidate = {
    kind: 'permissions',
    subject,
    place,
    tries: [
      ...asks.map(({ event, at, minutes }) => ({
        at,
        event,
        hit: true,
        minutes: Math.min(minutes, LONGEST_WAIT_MINUTES),
        ...noMoney,
      })),
      ...quiet.map(({ started_at: at, calls }) => ({
        at,
        event: calls[0]?.id ?? 0,
        hit: false,
        minutes: 0,
        ...noMoney,
      })),
    ],
    minHits: MIN_ASKS,
    headline: ({ hits, minutes }) =>
      `You allowed \`${command}\` ${hits} times of ${hits}: ${minutes} of waiting for you`,
    fix: {
      title: `Allow \`${command}\` in this project`,
      steps: [
        `Add "${rule}" to the allowed tools of this project.`,
        isAsItIs
          ? 'It allows these words alone; with an option, such as `--fix`, you are still asked.'
          : command.startsWith('gh ')
            ? 'It allows the command with any arguments.'
            : 'It allows the command with any arguments, and what it runs of this project, such as its tests.',
        'You are still asked about `$(…)`, output into a file, a folder outside of the project, and other commands in the same line.',
      ],
      set: [{ path: ['permissions', 'allow'], value: rule, add: true }],
    },
  }
  return [found]
}
