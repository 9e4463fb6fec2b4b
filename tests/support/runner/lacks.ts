/**
 * True if the tests that need something are skipped on this machine, since it is not there: a client, a browser, a database,
 * an address. In CI nothing is skipped for that reason: there, what is missing fails. A test of the house refuses any other
 * condition for a skip, except the system and the rights of the user.
 */
export const lacks = (isThere: boolean): boolean => !isThere && process.env['CI'] === undefined
