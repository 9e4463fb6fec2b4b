/** The target of a request (RFC 9112, section 3.2). */
export interface RequestTarget {
  /** The server that the target itself names; null for a path alone, the usual form. */
  readonly origin: URL | null
  /** Path and query as sent; begins with a slash. */
  readonly path: string
}

/**
 * Reads a path, or the absolute URL that a server must accept in its place. Returns null for anything else. The caller
 * decides which origins are its own.
 */
export function readRequestTarget(sent: string): RequestTarget | null {
  if (sent.startsWith('/')) return { origin: null, path: sent }
  const [, server, rest = ''] = /^(https?:\/\/[^/?#]+)(.*)$/is.exec(sent) ?? []
  const origin = server === undefined ? null : URL.parse(server)
  if (origin === null || origin.username !== '' || origin.password !== '') return null
  return { origin, path: rest.startsWith('/') ? rest : `/${rest}` }
}
