import type { AdviceCall } from '../../store/read/advice-calls.ts'
import type { AdviceSession } from '../../store/read/advice-sessions.ts'
import type { AdviceKind, Candidate, SettingsFix, Try } from '../candidate.ts'
import type { Place } from '../place.ts'

const MIN_REQUESTS = 10
const OWN: ReadonlySet<string> = new Set(['side_call', 'warmup'])

/** Requests that the client sends for itself: suggestions of a next prompt, titles, warm-ups. */
export const unrequested: AdviceKind = {
  kind: 'unrequested',
  find(place) {
    const turns = place.sessions.flatMap(turnsOf)
    const asked = new Map(turns.flatMap((turn) => turn.filter(isOwn).map((call) => [call, call.asksFor()] as const)))
    return [
      candidate(place, '', turns, (call) => asked.get(call) === 'suggestion'),
      candidate(place, 'others', turns, (call) => asked.get(call) === null),
    ]
  },
}

function candidate(
  place: Place,
  subject: keyof typeof SAID,
  turns: readonly Turn[],
  isMeant: (call: AdviceCall) => boolean,
): Candidate {
  const { words, fix } = SAID[subject]
  const own = (turn: Turn) => turn.filter(isMeant)
  const requests = turns.reduce((sum, turn) => sum + own(turn).length, 0)
  return {
    kind: 'unrequested',
    subject,
    place,
    tries: turns.flatMap((turn) => tryOf(turn, own(turn))),
    minHits: MIN_REQUESTS,
    mayBeClient: true,
    headline: ({ hits, opportunities, usd }) =>
      `The client sent ${requests} ${words}, in ${hits} of ${opportunities} turns: ${usd}`,
    fix,
  }
}

const SUGGESTIONS_OFF: SettingsFix = {
  title: 'Turn off suggestions of the next prompt in this project',
  steps: ['Set CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION to false in the environment of this project.'],
  set: [{ path: ['env', 'CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION'], value: 'false' }],
}

/** No setting is known for what is not a suggestion. */
const SAID: Readonly<Record<'' | 'others', { readonly words: string; readonly fix: SettingsFix | null }>> = {
  '': { words: 'requests for a suggestion of your next prompt', fix: SUGGESTIONS_OFF },
  others: { words: 'other requests of its own (recaps, titles, warm-ups)', fix: null },
}

type Turn = readonly AdviceCall[]

const isOwn = ({ request_kind: kind, searches }: AdviceCall): boolean =>
  kind !== null && OWN.has(kind) && searches === 0

/** A turn of nothing but such requests was opened by a question or command of the person, such as `/btw`. */
const turnsOf = ({ calls }: AdviceSession): readonly Turn[] =>
  [...Map.groupBy(calls, ({ turn_id: turn }) => turn)].flatMap(([turn, group]) =>
    turn > 0 && group.every(({ request_kind: kind }) => kind === 'side_call') ? [] : [group],
  )

function tryOf(turn: Turn, own: Turn): readonly Try[] {
  const [first] = turn
  if (first === undefined) return []
  const { at, session_id: session } = first
  const usd = own.reduce((sum, { cost_usd: one }) => sum + one, 0)
  const claim = { of: 'calls', calls: own.map(({ id }) => id) } as const
  return [{ at, event: (own[0] ?? first).id, session, hit: own.length > 0, usd, minutes: 0, claim }]
}
