import { PATH_SECRET_PREFIX } from '../../shared/path-secret.ts'
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
}

/**
 * Reads the path of the target that a client sent. A first segment with a path secret's prefix never goes to
 * the upstream, even if it is not the current secret: a client that started before a rotation keeps working, as an
 * unproven sender. Any other path is forwarded unchanged.
 */
export function readRequestPath(target: string, secret: SecretCheck | null): RequestPath {
  const sent = readRequestTarget(target)?.path ?? target
  if (!sent.startsWith(PATH_SECRET_PREFIX, 1)) return { path: sent, isProven: secret === null ? null : false }
  const end = /[/?#]/.exec(sent.slice(1))
  const segment = end === null ? sent.slice(1) : sent.slice(1, end.index + 1)
  const rest = sent.slice(segment.length + 1)
  return { path: rest.startsWith('/') ? rest : `/${rest}`, isProven: secret?.matches(segment) ?? null }
}
