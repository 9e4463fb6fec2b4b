import type { Candidate } from './candidate.ts'
import { isUuid } from './strength.ts'

/** What a cache keeps by a number. */
const CACHED =
  /^(?:(?:users?|reset|sessions?|cache|lock|refresh|access|verify|verification|id|count|counter|limit|rate|login|attempts?|revoked|email|accounts?|org|team|client|device|otp|request|invite|job|queue):)+\d{1,10}$/

/** True for the line of a file, as a search prints it, and for the key of a cache: `a.token:12:…`, `token:user:42`. */
export const isLineOrEntry = ({ sign, spaced, isQuoted, value, before, name, kind }: Candidate): boolean =>
  sign === ':' &&
  !spaced &&
  !isQuoted &&
  (/^\d{1,6}:/.test(value)
    ? /\.\w{1,12}$/.test(before + name)
    : CACHED.test(value) && !(kind === 'password' && /\d{5}$/.test(value)))

/** Tokens that tell one request, task or page from another. */
const NUMBERED =
  /(?:request|progress|lock|correlation|task|operation|dedup(?:lication)?|fencing|watch|trace|owner|page|cancell?ation)[-_ ]?token$/i

/** True for a token that is a UUID, unless it only tells one request, task or page from another. */
export const isOwnUuid = ({ value, own, name, kind, use, sign }: Candidate): boolean =>
  kind === 'token' && (use === 'given' || sign === 'is') && isUuid(value) && !NUMBERED.test(own + name)
