/**
 * The path secret: the first path segment of the base URL that Aspy gives to clients. It distinguishes their requests
 * from those of other programs on this machine. It begins with a fixed prefix, so that it is recognised wherever it
 * appears.
 */

/** Prefix of every path secret; 43 characters (base64url of 32 random bytes) follow. */
export const PATH_SECRET_PREFIX = 'aspy-path-'

/** The length of the random part, in characters. */
export const PATH_SECRET_LENGTH = 43

/** Prefix of the segment after it that names the upstream of a session. */
export const UPSTREAM_PREFIX = 'aspy-to-'

/** Prefix of the segment after both that names the run of a client. */
export const RUN_PREFIX = 'aspy-run-'

const IN_URL = new RegExp(`/${PATH_SECRET_PREFIX}[\\w-]{${PATH_SECRET_LENGTH}}(?=[/?#]|$)`, 'g')

/** Returns a URL without path secrets, for display. */
export const withoutPathSecret = (url: string): string => url.replace(IN_URL, '')
