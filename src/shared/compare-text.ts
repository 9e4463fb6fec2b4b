/** Compares by code units, as SQLite does; for `toSorted`. */
export const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
