/** Returns a link to an event: one that the desktop app opens, or the address in this browser. */
export function eventLink(sessionId: string, uuid: string): string {
  if (window.aspy !== undefined) return `aspy://event/${uuid}`
  return new URL(`/sessions/${encodeURIComponent(sessionId)}?event=${encodeURIComponent(uuid)}`, location.href).href
}
