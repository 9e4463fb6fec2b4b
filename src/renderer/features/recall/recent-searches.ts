/** The last searches of this browser: what was typed and led somewhere, the newest first. */

const STORAGE_KEY = 'aspy.recent-searches'
const MOST = 8

export function recentSearches(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter((text) => typeof text === 'string').slice(0, MOST) : []
  } catch {
    // Whatever stood there, it was not a list of searches: there are none.
    return []
  }
}

/** Notes a search from which a hit was opened, chosen or copied. */
export function noteSearch(text: string): void {
  const asked = text.trim()
  if (asked === '') return
  const others = recentSearches().filter((other) => other !== asked)
  localStorage.setItem(STORAGE_KEY, JSON.stringify([asked, ...others].slice(0, MOST)))
}
