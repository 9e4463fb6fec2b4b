/**
 * Returns the command that runs `aspy` in a terminal. The app embeds it in the page: an absolute path unless the PATH
 * has it.
 */
export const typedAspy = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="aspy-command"]')?.content ?? 'aspy'

/** Returns the command that starts this app again; empty if it is started without a terminal, as in the desktop app. */
export function startCommand(): string {
  if (window.aspy !== undefined) return ''
  return document.querySelector<HTMLMetaElement>('meta[name="aspy-start"]')?.content ?? ''
}
