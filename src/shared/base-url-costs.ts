/** The drawbacks of a base URL, shown wherever it is offered. */
export const BASE_URL_COSTS =
  'every client started from now on uses Aspy, even while Aspy is down (then it waits for minutes); with a custom base ' +
  'URL, some versions of Claude Code lose tool search, the 5 h and 7 d usage meters, Remote Control and fine-grained ' +
  'tool streaming'
