/** Returns the address of a session, or of a place in it, for a link or a navigation. */
export const toSession = <const Search extends object>(sessionId: string, search: Search) =>
  ({ to: '/sessions/$sessionId', params: { sessionId }, search }) as const

/** Returns the address of a request. */
export const toExchange = <const Search extends object>(uuid: string, search: Search) =>
  ({ to: '/exchanges/$uuid', params: { uuid }, search }) as const
