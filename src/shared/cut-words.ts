import type { CutBy } from './cut-by.ts'

/** Says who cut an answer off, for people. */
export const cutWords = (by: CutBy): string => (by === 'aspy' ? 'cut off when Aspy stopped' : `cut off by the ${by}`)
