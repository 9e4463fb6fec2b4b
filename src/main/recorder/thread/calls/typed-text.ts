/** Input fields that hold text a person typed. The others are ids and flags. */
const TYPED: ReadonlySet<string> = new Set(['title', 'note', 'name', 'address'])

/** Removes secrets from the text that a person typed, as from everything else that is stored. */
export function withoutSecrets(input: object, redact: (text: string) => string): object {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'string' && TYPED.has(name) ? redact(value) : value,
    ]),
  )
}
