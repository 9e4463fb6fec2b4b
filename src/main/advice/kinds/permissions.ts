import type { AskedCall } from '../../store/read/advice-events.ts'
import { quietTry, type AdviceKind, type Candidate } from '../candidate.ts'
import type { Place } from '../place.ts'

const MIN_ASKS = 10
/** A person who needs longer was away: the question did not keep them. */
const LONGEST_WAIT_MINUTES = 10

/**
 * Commands that check or read, and that clients ask about. They ask nobody about `ls` or `git diff`, unless an option
 * makes it write; a rule would allow that, too, as it would `--fix` of a linter.
 */
const ONLY_CHECKS =
  /^(?:(?:npm|pnpm|yarn|bun) (?:test|run (?:test|typecheck))|cargo (?:test|check)|go (?:test|vet)|(?:dotnet|swift|mix|rails|bin\/rails) test|(?:bundle exec |bin\/)?rspec|(?:(?:uv|poetry|pdm|pipenv|hatch|rye) run |python3? -m )?pytest|gh (?:pr|issue|run) (?:view|list))$/

/** Commands that check in these very words, and that an option makes write: a rule for no other words allows them alone. */
const EXACT_CHECK =
  /^(?:(?:npx |bunx |pnpm |yarn )?(?:tsc --noEmit(?: -p \S+)?|(?:eslint|oxlint|ruff check|mypy|vitest run|jest)(?: [\w.@*][\w./@*-]*)?)|(?:npm|pnpm|yarn|bun) run (?:lint|check)|cargo clippy|(?:make|just) (?:test|lint|check)|(?:mvn|gradle|\.\/gradlew) test)$/

/** Tools that only read, by their names. */
const READS = /^(?:WebSearch|mcp__.+__(?:get|list|search|read|find|describe)(?:[_-][\w-]+|[A-Z]\w*)?)$/

/** Words in the name of such a tool that say that it does more, as in `get_or_create`. */
const WRITES =
  /(?:^|[_-])(?:and|or|then|create|write|save|update|upsert|replace|delete|remove|insert|add|set|put|post|patch|edit|move|rename|send|reply|run|exec|execute|apply|purge|drop|clear|reset|mark|merge|close|submit|publish|import|sync)(?:[_-]|$)/
const onlyReads = (tool: string): boolean =>
  READS.test(tool) &&
  !WRITES.test(
    tool
      .replace(/^.*__/, '')
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
      .toLowerCase(),
  )

/** Permissions that are asked again and again, and always given. */
export const permissions: AdviceKind = {
  kind: 'permissions',
  find(place) {
    const asked = place.sessions.flatMap((session) => session.asked).filter(({ approved }) => approved !== null)
    const groups = Map.groupBy(asked, (ask) => JSON.stringify([ask.tool, ruleFor(ask)?.named ?? ask.command]))
    return [...groups].flatMap(([subject, asks]) => {
      // One refusal says that the question is worth its time.
      if (!asks.every((ask) => ask.approved === true && ruleFor(ask) !== null)) return []
      const [first, ...others] = asks.filter((ask) => ask.is_plain || ruleFor(ask)?.isWhole === true)
      return first === undefined ? [] : candidate(place, subject, [first, ...others])
    })
  },
}

/** A rule that allows a call; `isWhole`: however its command goes on. */
interface Rule {
  readonly named: string
  readonly rule: string
  readonly isWhole: boolean
  readonly says: string
}

function ruleFor({ tool, command, text }: AskedCall): Rule | null {
  if (onlyReads(tool)) return { named: tool, rule: tool, isWhole: true, says: 'It allows the tool with any arguments.' }
  if (EXACT_CHECK.test(text)) {
    const says = `It allows these words alone: with an option, such as \`--fix\`, you are asked. ${STILL_ASKED}`
    return { named: text, rule: `${tool}(${text})`, isWhole: true, says }
  }
  if (!ONLY_CHECKS.test(command)) return null
  const more = command.startsWith('gh ') ? '' : ', and what it runs of this project, such as its tests'
  const says = `It allows the command with any arguments${more}. ${STILL_ASKED}`
  return { named: command, rule: `${tool}(${command}:*)`, isWhole: false, says }
}
const STILL_ASKED =
  'You are still asked about `$(…)`, output into a file, a folder outside of the project, and other commands in the same line.'

/** Sessions after the first question that ran the command without one are opportunities, too. */
function candidate(place: Place, subject: string, asks: readonly [AskedCall, ...AskedCall[]]): Candidate[] {
  const [first] = asks
  const found = ruleFor(first)
  if (found === null) return []
  const { named, rule, says } = found
  const asking = new Set(asks.map(({ session_id: id }) => id))
  const quiet = place.sessions.filter(
    (session) => session.started_at > first.at && !asking.has(session.session_id) && session.ran(first),
  )
  const waitOf = ({ event, at, minutes, session_id: session }: AskedCall) => {
    const waited = Math.min(minutes, LONGEST_WAIT_MINUTES)
    return { event, at, session, hit: true, minutes: waited, usd: 0, claim: { of: 'nothing' } } as const
  }
  return [
    {
      kind: 'permissions',
      subject,
      place,
      tries: [...asks.map(waitOf), ...quiet.map(quietTry)],
      minHits: MIN_ASKS,
      headline: ({ hits, minutes }) =>
        `You were asked ${hits} times about \`${named}\`, and always allowed it: it waited ${minutes} for you`,
      fix: {
        title: `Allow \`${named}\` in this project`,
        steps: [`Add "${rule}" to the allowed tools of this project.`, says],
        set: [{ path: ['permissions', 'allow'], value: rule, add: true }],
      },
    },
  ]
}
