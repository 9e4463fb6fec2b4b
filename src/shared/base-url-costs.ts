/**
 * Features that Claude Code disables with a base URL, unless it treats it as Anthropic's own address (measured with
 * 2.1.330).
 */
export const LOST_FEATURES =
  'the global cache scope, cache diagnosis and thinking bindings (in some versions also the 1M context window)'

/** The drawbacks of a base URL, shown wherever it is offered. docs/claude-code.md lists them by client version. */
export const BASE_URL_COSTS =
  'every client started from now on uses Aspy, even while Aspy is down (then it waits for minutes); with a custom base ' +
  'URL, Claude Code has no Remote Control and no claude.ai connectors, and some versions lose tool search and the 5 h ' +
  'and 7 d usage meters. If Aspy forwards to api.anthropic.com, setup sets a variable that brings back the rest of what ' +
  'a base URL turns off'

/** The drawbacks of full mode in settings, shown wherever it is offered. */
export const FULL_MODE_COSTS =
  'Aspy, which starts at login, reads what clients send to the API; while it is down, Claude Code and all programs that it ' +
  'starts have no network'
