import { LINK_SCHEME } from './names.ts'

/** The targets of `aspy://` links. A link only opens a view; it starts, changes and deletes nothing. */
export type AppLink =
  | { readonly view: 'session'; readonly id: string }
  | { readonly view: 'event'; readonly uuid: string }
  | { readonly view: 'recall'; readonly query: string }

const NAMED = /^aspy:\/\/(session|event)\/([\w.-]{1,200})$/
const MAX_QUERY = 500

/**
 * Parses `aspy://session/ID`, `aspy://event/UUID` and `aspy://recall?q=WORDS`. Returns null for anything else, since any
 * web page can make the system open a link.
 */
export function parseAppLink(text: string): AppLink | null {
  if (!text.startsWith(`${LINK_SCHEME}://`) || text.length > 2000 || !URL.canParse(text)) return null
  const { protocol, username, password, host, pathname, search, searchParams, hash } = new URL(text)
  if (protocol !== `${LINK_SCHEME}:` || username !== '' || password !== '' || hash !== '') return null
  if (host === 'recall') {
    const query = searchParams.get('q')
    const isAlone = searchParams.size === (query === null ? 0 : 1)
    if ((pathname !== '' && pathname !== '/') || !isAlone || !isLine(query ?? '')) return null
    return { view: 'recall', query: query ?? '' }
  }
  // Matches the text as written, because parsing a URL removes dot segments.
  const [, kind, id = ''] = NAMED.exec(text) ?? []
  if (search !== '' || pathname !== `/${id}`) return null
  if (kind === 'session') return { view: 'session', id }
  return kind === 'event' ? { view: 'event', uuid: id } : null
}

/** Returns the last link in a program's arguments; null if there is none. */
export const linkIn = (args: readonly string[]): AppLink | null =>
  args.map(parseAppLink).findLast((link) => link !== null) ?? null

/** Returns the window's address for a link. `sessionOf` resolves an event to its session; null if unknown. */
export async function addressOf(link: AppLink, sessionOf: (uuid: string) => Promise<string | null>): Promise<string> {
  switch (link.view) {
    case 'session':
      return sessionAddress(link.id)
    case 'recall':
      return link.query === '' ? '/recall' : `/recall?${new URLSearchParams({ q: link.query })}`
    case 'event': {
      const session = await sessionOf(link.uuid)
      return session === null ? '/live' : `${sessionAddress(session)}?${new URLSearchParams({ event: link.uuid })}`
    }
  }
}

/** Returns the window's address of a session. */
export const sessionAddress = (id: string): string => `/sessions/${encodeURIComponent(id)}`

const isLine = (text: string): boolean => text.length <= MAX_QUERY && !/\p{Cc}/u.test(text)
