/**
 * An account is what has limits of its own: a user in an organization (one user may be in several), or the organization
 * of keys and tokens, which change. Its id is a keyed hash; that of a user begins like the user's. An answer that names
 * no organization, as of earlier versions, leaves the user or key as it is.
 */
export function accountIn(
  { user, organization }: { readonly user: string | null; readonly organization: string },
  hash: (text: string) => string,
): string {
  const own = hash(`organization:${organization}`).slice(0, 32)
  return user === null ? own : `${hash(`account:${user}`).slice(0, SHOWN)}-${own}`
}

/** The SQL of the account whose limits an event reports; NULL: not known, as in imported history. */
export const accountSql = (events = ''): string =>
  `coalesce(json_extract(${events}payload, '$.organization'), ${events}user_id)`

/** Returns the account as people see it, and name it. */
export const shortAccount = (account: string): string =>
  account
    .split('-')
    .map((part) => part.slice(0, SHOWN))
    .join('-')

const SHOWN = 8
