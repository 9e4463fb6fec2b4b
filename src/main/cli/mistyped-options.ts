import { editDistance } from '../../shared/nearest-name.ts'

/** From this many letters on, an option may have two mistakes. */
const LONG_NAME = 6

/**
 * Finds words that look like mistyped options: `--limt` for `--limit`. A search takes unknown options as text, because pasted
 * commands have options of their own. `known` holds long names with their dashes.
 */
export function mistypedOptions(
  words: readonly string[],
  known: readonly string[],
): readonly { readonly typed: string; readonly meant: string }[] {
  return [...new Set(words)].flatMap((word) => {
    const typed = /^--[a-z][a-z-]+(?==|$)/i.exec(word)?.[0]
    if (typed === undefined) return []
    const nearest = known
      .map((name) => ({ name, distance: editDistance(typed.toLowerCase(), name) }))
      .filter(
        ({ name, distance }) =>
          distance <= (name.length - 2 < LONG_NAME ? 1 : 2) && name[2] === typed[2]?.toLowerCase(),
      )
      .sort((a, b) => a.distance - b.distance)[0]
    return nearest === undefined ? [] : [{ typed, meant: nearest.name }]
  })
}
