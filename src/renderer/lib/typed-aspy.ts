/** Returns how to type `aspy` in a terminal. The app writes it into the page: an absolute path unless the PATH has it. */
export function typedAspy(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="aspy-command"]')?.content ?? 'aspy'
}
