/**
 * The history that this window shows. Switching reloads the page, so that no answer from one history is shown in the
 * other.
 */
export type History = 'mine' | 'team'

/** Field of the address that names the history. */
export const HISTORY_FIELD = 'history'

/** Returns the history that an address names. */
export const historyOf = (search: string): History =>
  new URLSearchParams(search).get(HISTORY_FIELD) === 'team' ? 'team' : 'mine'

/** The history that this page shows until it is reloaded. */
export const history: History = historyOf(globalThis.location?.search ?? '')

/**
 * Opens the same view over the other history. Drops the selection, because sessions and projects have other names
 * there.
 */
export function showHistory(next: History): void {
  const [, view = 'sessions'] = location.pathname.split('/')
  location.assign(`/${view}${next === 'team' ? `?${HISTORY_FIELD}=team` : ''}`)
}
