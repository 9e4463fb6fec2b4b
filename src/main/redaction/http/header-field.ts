const HEADER = /^(?:proxy-)?authorization$|^(?:set-)?cookie$/i

/** Returns true for the name of a header that holds credentials and more: a scheme, names, attributes. */
export const isCredentialHeader = (name: unknown): name is string => typeof name === 'string' && HEADER.test(name)

/** Redacts a header's value, whose meaning depends on the name: only the credentials are removed. */
export function redactHeaderValue(name: string, value: string, text: (text: string) => string): string {
  const own = text(value)
  const line = text(`${name}: ${own}`)
  return line.startsWith(`${name}: `) ? line.slice(name.length + 2) : own
}
