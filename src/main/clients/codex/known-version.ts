/** The version of Codex that the tests run against. */
export const KNOWN_CODEX = '0.171.0'
