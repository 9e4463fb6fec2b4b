/** Returns the address of a session, or of a place in it, for a link or a navigation. */
export function toSession<const Search extends object>(sessionId: string, search: Search) {
  return { to: '/sessions/$sessionId', params: { sessionId }, search } as const
}

/** Returns the address of a request. */
export function toExchange<const Search extends object>(uuid: string, search: Search) {
  return { to: '/exchanges/$uuid', params: { uuid }, search } as const
}
