/** Returns the UTC day of a moment in ms, as YYYY-MM-DD. */
export const dayOf = (wall: number): string => new Date(wall).toISOString().slice(0, 10)
