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
/** A whole line in each color, then a double one. Always the same objects, so that a row is drawn once. */
const EDGES = (['solid', 'double'] as const).flatMap((borderLeftStyle) =>
  COLORS.map((borderLeftColor) => ({ borderLeftColor, borderLeftStyle })),
)
const STORAGE_KEY = 'aspy.session-colors'

/** The place of each session, the one given first at the front: a color, and from the eleventh on its double line. */
let given: Map<string, number> | null = null

/**
 * Gives colors in turn, so that no two running sessions look the same and each keeps its color, also after a reload.
 * `known`: other sessions of the feed, which get what running ones leave. Call it before `sessionEdge`.
 */
export function giveColors(running: readonly string[], known: readonly string[]): void {
  given ??= new Map(
    (localStorage.getItem(STORAGE_KEY)?.split('\n') ?? []).map((line) => [line.slice(3), Number(line.slice(0, 2))]),
  )
  const rankOf = (id: string) => (running.includes(id) ? 2 : known.includes(id) ? 1 : 0)
  for (const id of [...running, ...known.toReversed()]) {
    if (given.has(id)) continue
    const place = freePlace(given, rankOf, rankOf(id))
    if (place === undefined) continue
    for (const [other, its] of given) if (its === place) given.delete(other)
    given.set(id, place)
    localStorage.setItem(STORAGE_KEY, [...given].map(([one, its]) => `${String(its).padStart(2)} ${one}`).join('\n'))
  }
}

/** Returns a place that was never given, or else the one given first to a session that matters less. */
function freePlace(all: ReadonlyMap<string, number>, rankOf: (id: string) => number, rank: number): number | undefined {
  const taken = new Set(all.values())
  for (const first of rank < 2 ? [0] : [0, COLORS.length]) {
    const isIn = (place: number) => place >= first && place < first + COLORS.length
    const unused = COLORS.findIndex((_, at) => !taken.has(first + at))
    if (unused >= 0) return first + unused
    const lesser = [...all].filter(([id, place]) => isIn(place) && rankOf(id) < rank)
    if (lesser.length > 0) return lesser.toSorted(([one], [other]) => rankOf(one) - rankOf(other))[0]?.[1]
  }
  return undefined
}

/** Returns the look of the left edge of a session's card and rows; undefined if it has no color. */
export function sessionEdge(sessionId: string): (typeof EDGES)[number] | undefined {
  const place = given?.get(sessionId)
  return place === undefined ? undefined : EDGES[place]
}
