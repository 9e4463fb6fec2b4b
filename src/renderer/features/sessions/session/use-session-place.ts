import type { OperationOutput } from '../../../../shared/contract/index.ts'
import type { SessionSearch } from '../list/sessions-search.ts'
import { useOperation } from '../../../lib/operation.ts'

/** The time and turn that the address of a session points to. */
export interface SessionPlace {
  readonly prompts: OperationOutput<'prompts.search'>['items']
  /** Time of the event in the address, or null if there is none in this session. */
  readonly time: string | null
  /** Turn in the address, else the turn of its event, else 1. */
  readonly turn: number
  /** The event in the address is still being looked up. */
  readonly isLoading: boolean
  /** Returns the turn of a prompt. */
  turnOf(prompt: string): number
}

/**
 * Looks up the event in the address. The outline already has the prompts, so stepping through them sends no requests.
 */
export function useSessionPlace(sessionId: string, { event, turn }: SessionSearch): SessionPlace {
  const prompts = useOperation('prompts.search', { session_id: sessionId }).data?.items ?? []
  const prompt = prompts.find(({ uuid }) => uuid === event)
  const isElsewhere = event !== undefined && prompt === undefined
  const anchor = useOperation('events.get', { uuid: event ?? '' }, { enabled: isElsewhere })
  const found = isElsewhere && anchor.data?.session_id === sessionId ? anchor.data : undefined
  return {
    prompts,
    time: prompt?.timestamp ?? found?.ts_wall ?? null,
    turn: Number(turn ?? prompt?.turn_id ?? found?.turn_id ?? 1),
    isLoading: isElsewhere && anchor.isPending,
    turnOf: (uuid) => prompts.find((one) => one.uuid === uuid)?.turn_id ?? 1,
  }
}
