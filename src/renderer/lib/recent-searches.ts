/** Searches in this browser that led to a hit, newest first. */

const STORAGE_KEY = 'aspy.recent-searches'
const MAX_SEARCHES = 8
const FOUND_KEY = 'aspy.search-found'

export function recentSearches(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter((text) => typeof text === 'string').slice(0, MAX_SEARCHES) : []
  } catch {
    // The stored value is not a list, so there are no searches.
    return []
  }
}

/** Remembers a search that led to a hit. */
export function noteSearch(text: string): void {
  const asked = text.trim()
  if (asked === '') return
  const others = recentSearches().filter((other) => other !== asked)
  localStorage.setItem(STORAGE_KEY, JSON.stringify([asked, ...others].slice(0, MAX_SEARCHES)))
}

/** Remembers that a search found something. */
export function noteFound(): void {
  localStorage.setItem(FOUND_KEY, 'yes')
}

/** Whether a search in this browser ever found something. */
export const hasFound = (): boolean => localStorage.getItem(FOUND_KEY) !== null
