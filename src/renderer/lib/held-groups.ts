import type { HeldRequest } from '../../shared/contract/guard.ts'

/** Requests of one session that wait because of the same cap. */
export interface HeldGroup {
  readonly key: string
  /** The request that waits longest. */
  readonly first: HeldRequest
  readonly ids: readonly string[]
  /** Null for the main agent; a number if there are several agents. */
  readonly agents: number | null
}

/** Groups waiting requests, so that fifty agents over one cap need one decision. Keeps the order of waiting. */
export function heldGroups(held: readonly HeldRequest[]): HeldGroup[] {
  const groups = new Map<string, [HeldRequest, ...HeldRequest[]]>()
  for (const request of held) {
    // Requests without a session have nothing in common.
    const { cap, scope } = request.over
    const key = request.session_id === null ? request.id : `${request.session_id} ${cap} ${scope}`
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [request])
    else known.push(request)
  }
  return [...groups].map(([key, requests]) => {
    const agents = new Set(requests.flatMap(({ agent_id }) => agent_id ?? []))
    return {
      key,
      first: requests[0],
      ids: requests.map(({ id }) => id),
      agents: agents.size === 0 ? null : agents.size,
    }
  })
}

/** Proposes a limit: twice the present one, and at least what the request needs. */
export function proposedLimit({ over: { cap, limit, used, guess } }: HeldRequest): number {
  const needed = Math.max(2 * limit, used + guess)
  if (!cap.endsWith('_usd')) return Math.ceil(needed)
  return needed < 0.1 ? Math.ceil(needed * 10_000) / 10_000 : Math.ceil(needed * 100) / 100
}
