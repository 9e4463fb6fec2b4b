import type { AskedCall } from '../../store/read/advice-events.ts'
import type { AdviceKind, Candidate } from '../candidate.ts'
import type { Place } from '../place.ts'

const MIN_ASKS = 10

/**
 * Commands that check or read, and that clients ask about. They ask nobody about `ls` or `git diff`, unless an option
 * makes it write; a rule would allow that, too, as it would `--fix` of a linter.
 */
const ONLY_CHECKS =
  /^(?:(?:npm|pnpm|yarn|bun) (?:test|run (?:test|typecheck))|cargo (?:test|check)|go (?:test|vet)|pytest|gh (?:pr|issue|run) (?:view|list))$/

/** Permissions that are asked again and again, and always given. */
export const permissions: AdviceKind = {
  kind: 'permissions',
  find(place) {
    const asked = place.sessions.flatMap((session) => session.asked).filter(({ approved }) => approved !== null)
    return [...Map.groupBy(asked, ({ tool, command }) => JSON.stringify([tool, command]))].flatMap(([subject, asks]) =>
      asks.every(isHarmless) ? [candidate(place, subject, asks)] : [],
    )
  },
}

/** One refusal says that the question is worth its time. */
const isHarmless = ({ approved, command }: AskedCall): boolean => approved === true && ONLY_CHECKS.test(command)

function candidate(place: Place, subject: string, asks: readonly AskedCall[]): Candidate {
  const [first] = asks
  const rule = `${first?.tool ?? ''}(${first?.command ?? ''}:*)`
  return {
    kind: 'permissions',
    subject,
    place,
    tries: asks.map(({ event, at, minutes }) => ({
      at,
      event,
      hit: true,
      usd: 0,
      minutes,
      claim: { of: 'nothing' } as const,
    })),
    minHits: MIN_ASKS,
    headline: ({ opportunities, minutes }) =>
      `You allowed \`${first?.command ?? ''}\` ${opportunities} times of ${opportunities}: ${minutes} of waiting for you`,
    fix: {
      title: `Allow \`${first?.command ?? ''}\` in this project`,
      steps: [
        `Add "${rule}" to the allowed tools of this project.`,
        'It allows the command with any arguments, and what it runs of this project, such as its tests.',
        'It does not match the command after `cd x &&`, in `$(…)`, or before a pipe to a command that is not allowed.',
      ],
      file: 'project',
      set: [{ path: ['permissions', 'allow'], value: rule, add: true }],
    },
  }
}
