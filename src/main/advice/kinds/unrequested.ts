import type { AdviceCall } from '../../store/read/advice-calls.ts'
import type { AdviceSession } from '../../store/read/advice-sessions.ts'
import type { AdviceKind, Try } from '../candidate.ts'

const MIN_REQUESTS = 10
const OWN: ReadonlySet<string> = new Set(['side_call', 'warmup'])

/** Requests that the client sends for itself: suggestions of a next prompt, titles, warm-ups. */
export const unrequested: AdviceKind = {
  kind: 'unrequested',
  find: (place) => [
    {
      kind: 'unrequested',
      subject: '',
      place,
      tries: place.sessions.flatMap(triesOf),
      minHits: MIN_REQUESTS,
      mayBeClient: true as const,
      headline: ({ hits, opportunities, usd }) =>
        `The client sent requests of its own in ${hits} of ${opportunities} turns: ${usd}`,
      fix: {
        title: 'Turn off suggestions of the next prompt in this project',
        steps: [
          'Set CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION to false in the environment of this project.',
          'Look at one of the requests first: titles and other small ones are not affected.',
        ],
        file: 'project',
        set: [{ path: ['env', 'CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION'], value: 'false' }],
      },
    },
  ],
}

const isOwn = ({ request_kind: kind, searches }: AdviceCall): boolean =>
  kind !== null && OWN.has(kind) && searches === 0

const triesOf = ({ calls }: AdviceSession): readonly Try[] =>
  [...Map.groupBy(calls, ({ turn_id: turn }) => turn)].flatMap(([, turn]) => {
    const [first] = turn
    const own = turn.filter(isOwn)
    return first === undefined
      ? []
      : [
          {
            at: first.at,
            event: (own[0] ?? first).id,
            hit: own.length > 0,
            usd: own.reduce((sum, { cost_usd: usd }) => sum + usd, 0),
            minutes: 0,
            claim: { of: 'calls', calls: own.map(({ id }) => id) },
          },
        ]
  })
