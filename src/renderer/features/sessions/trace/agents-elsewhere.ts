interface Linked {
  readonly kind: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** Returns the starts of agents whose calls are not among the direct effects of an event: those calls show their agents. */
export function agentsElsewhere<Start extends { readonly payload: object }>(
  starts: readonly Start[],
  effects: readonly Linked[],
): readonly Start[] {
  const calls = new Set(effects.flatMap(({ kind, payload }) => (kind === 'tool_call' ? [payload['call_id']] : [])))
  return starts.filter(({ payload }) => !('call_id' in payload && calls.has(payload.call_id)))
}
