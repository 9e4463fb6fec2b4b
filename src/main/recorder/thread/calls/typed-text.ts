/** Input fields that hold text a person typed. The others are ids and flags. */
const TYPED: ReadonlySet<string> = new Set(['title', 'note', 'name', 'address', 'add_tags'])

/** Removes secrets from the text that a person typed, as from everything else that is stored. */
export const withoutSecrets = <Input extends object>(input: Input, redact: (text: string) => string): Input =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, TYPED.has(name) ? redacted(value, redact) : value]),
  ) as Input

function redacted(value: unknown, redact: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((part) => redacted(part, redact))
  return typeof value === 'string' ? redact(value) : value
}
