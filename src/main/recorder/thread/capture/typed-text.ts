/** Fields of an operation's input that hold what a person typed; the others are ids and switches. */
const TYPED: ReadonlySet<string> = new Set(['title', 'note', 'name', 'address'])

/** What was typed goes through the redaction before it is kept, like everything else. */
export function withoutSecrets(input: unknown, redact: (text: string) => string): unknown {
  if (typeof input !== 'object' || input === null) return input
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'string' && TYPED.has(name) ? redact(value) : value,
    ]),
  )
}
