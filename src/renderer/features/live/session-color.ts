/** Ten hues that differ at a glance. None is red or amber, which mean failure and warning. */
const COLORS = [
  'hsl(212 70% 55%)',
  'hsl(168 60% 42%)',
  'hsl(280 55% 60%)',
  'hsl(96 50% 42%)',
  'hsl(325 60% 58%)',
  'hsl(190 75% 45%)',
  'hsl(245 65% 64%)',
  'hsl(140 45% 45%)',
  'hsl(300 40% 48%)',
  'hsl(215 18% 55%)',
] as const

const given = new Map<string, string>()

/**
 * Returns the color of a session, the same on its card and on each of its rows: they are given out in turn, so that ten
 * sessions in a row differ.
 */
export function sessionColor(sessionId: string): string {
  const known = given.get(sessionId) ?? COLORS[given.size % COLORS.length] ?? COLORS[0]
  given.set(sessionId, known)
  return known
}
