/** What a base URL costs, for a person: said wherever it is offered. */
export const BASE_URL_COSTS =
  'every client started from now on goes through Aspy, also while Aspy is down (then it waits for minutes); with a ' +
  'base URL of their own, versions of Claude Code were seen to lose tool search, the 5 h and 7 d meters, Remote ' +
  'Control and fine-grained tool streaming'
