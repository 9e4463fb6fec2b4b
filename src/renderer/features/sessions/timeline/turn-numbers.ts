/** Returns the numbers of a session's turns in order. Numbers that are part of another turn are left out. */
export function turnNumbers(
  session: { readonly turn_count: number; readonly joined_turns: readonly number[] } | undefined,
  current: number,
): number[] {
  const joined = session?.joined_turns ?? []
  const last = Math.max((session?.turn_count ?? 1) + joined.length, current)
  return Array.from({ length: last }, (_, at) => at + 1).filter((turn) => !joined.includes(turn))
}
