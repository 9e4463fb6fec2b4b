/** Who may cut an answer off: the client, the upstream, or Aspy by stopping. A complete answer has null. */
export const CUT_BY = ['client', 'upstream', 'aspy'] as const
export type CutBy = (typeof CUT_BY)[number]
