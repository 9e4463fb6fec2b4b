/** Formats a time as 2026-11-21 10:15 in the zone of this computer, for a sentence that people read. */
export const localTime = (at: number | string | Date): string => new Date(at).toLocaleString('sv-SE').slice(0, 16)
