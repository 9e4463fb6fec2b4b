import { PATH_SECRET_PREFIX, RUN_PREFIX, UPSTREAM_PREFIX } from '../../shared/path-secret.ts'
import { readRequestTarget } from './request-target.ts'

/** Recognises the path secret. */
export interface SecretCheck {
  matches(segment: string): boolean
}

/** A request's path, read from the path that the client sent. */
export interface RequestPath {
  /** Path and query for the upstream, without the secret. */
  readonly path: string
  /** True if it began with the current secret; null if the proxy has none to compare with. */
  readonly isProven: boolean | null
  /** The id of the upstream that the session asked for; null: it goes to the usual one. */
  readonly upstream: string | null
  /** The run of a client that its base URL names; null: none. */
  readonly run: string | null
}

/**
 * Reads the path of the target that a client sent. A first segment with a path secret's prefix never goes to
 * the upstream, even if it is not the current secret: a client that started before a rotation keeps working, as an
 * unproven sender. Nor does a segment that names an upstream or a run. Any other path is forwarded unchanged.
 */
export function readRequestPath(target: string, secret: SecretCheck | null): RequestPath {
  const sent = readRequestTarget(target)?.path ?? target
  const { segment, rest } = firstSegment(sent, PATH_SECRET_PREFIX)
  const isProven = secret === null ? null : segment !== null && secret.matches(segment)
  const named = firstSegment(rest, UPSTREAM_PREFIX)
  const upstream = named.segment?.slice(UPSTREAM_PREFIX.length) ?? null
  const ofRun = firstSegment(named.rest, RUN_PREFIX)
  return { path: ofRun.rest, isProven, upstream, run: ofRun.segment?.slice(RUN_PREFIX.length) ?? null }
}

/** Takes the first segment off a path if it has a prefix. */
function firstSegment(path: string, prefix: string): { readonly segment: string | null; readonly rest: string } {
  if (!path.startsWith(prefix, 1)) return { segment: null, rest: path }
  const end = /[/?#]/.exec(path.slice(1))
  const segment = end === null ? path.slice(1) : path.slice(1, end.index + 1)
  const rest = path.slice(segment.length + 1)
  return { segment, rest: rest.startsWith('/') ? rest : `/${rest}` }
}
