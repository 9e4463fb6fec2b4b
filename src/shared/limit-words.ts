/** Names a limit by its window, before "limit": `5h` → 5-hour; `7d_opus` → 7-day opus. */
export const limitWords = (window: string): string =>
  window
    .replace(/^(\d+)h(?=_|$)/, '$1-hour')
    .replace(/^(\d+)d(?=_|$)/, '$1-day')
    .replaceAll('_', ' ')
