/** Returns how to type `aspy` in a terminal. The app writes it into the page: an absolute path unless the PATH has it. */
export function typedAspy(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="aspy-command"]')?.content ?? 'aspy'
}

/** Returns what to type to start this app again. Empty if it is started without a terminal, as in the desktop app. */
export function startCommand(): string {
  if (window.aspy !== undefined) return ''
  return document.querySelector<HTMLMetaElement>('meta[name="aspy-start"]')?.content ?? ''
}
