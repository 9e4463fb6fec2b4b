import { counted } from '../../shared/counted.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import type { ServiceNews } from '../../shared/contract/live.ts'

type Truth = OperationOutput<'sessions.resume_truth'>

export interface ResumeWatchOptions {
  readonly truth: (sessionId: string) => Promise<Truth>
  readonly report: (news: readonly ServiceNews[]) => void
  readonly onError: (error: unknown) => void
}

/** The relevant fields of an event; the `text` of a `session_started` is how the session started. */
interface Committed {
  readonly kind: string
  readonly session_id: string
  readonly agent_id: string | null
  readonly text: string
}

/** Resumed sessions whose first answer is awaited; beyond this, the oldest is forgotten. */
const MAX_AWAITED = 100

/**
 * Reports once that a resumed session carries less than it had, after its first answer. Only resumes that the client's hook
 * reports: without hooks, a person may just have gone back in the conversation.
 */
export class ResumeWatch {
  readonly #options: ResumeWatchOptions
  readonly #awaited = new Set<string>()

  constructor(options: ResumeWatchOptions) {
    this.#options = options
  }

  committed(events: readonly Committed[]): void {
    for (const { kind, session_id: session, agent_id: agent, text } of events) {
      if (kind === 'session_started' && text === 'resume') this.#await(session)
      else if (kind === 'model_response' && agent === null && this.#awaited.has(session))
        this.#check(session).catch(this.#options.onError)
    }
  }

  #await(session: string): void {
    this.#awaited.delete(session)
    this.#awaited.add(session)
    const [oldest] = this.#awaited
    if (this.#awaited.size > MAX_AWAITED && oldest !== undefined) this.#awaited.delete(oldest)
  }

  async #check(session: string): Promise<void> {
    const { resumed } = await this.#options.truth(session)
    // That answer was to a side call, such as a title; the next one may show it.
    if (resumed === null || !this.#awaited.delete(session) || resumed.lost_count + resumed.lost_results === 0) return
    this.#options.report([resumeNews(session, resumed)])
  }
}

function resumeNews(session: string, resumed: NonNullable<Truth['resumed']>): ServiceNews {
  const { had, carried, lost_count: lost, lost_results: results } = resumed
  const count = (number: number, noun: string) => (number === 0 ? [] : [counted(number, noun)])
  return {
    kind: 'resume',
    title: `A resumed session lacks ${[...count(lost, 'message'), ...count(results, 'tool result')].join(' and ')}`,
    text: `Claude was sent ${carried} of ${had} messages. Open session ${session.slice(0, 8)} to copy the rest.`,
    session_id: session,
  }
}
