/** Returns a color for a session, the same on its card and on each of its rows, in every theme. */
export function sessionColor(sessionId: string): string {
  let hash = 0
  for (const sign of sessionId) hash = (hash * 31 + (sign.codePointAt(0) ?? 0)) >>> 0
  // Steps of 137.5 degrees keep neighboring numbers far apart.
  return `hsl(${Math.round((hash % 997) * 137.5) % 360} 60% 50%)`
}
