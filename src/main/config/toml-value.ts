/** Formats a JSON value as TOML on one line. Throws TypeError for null and for values that are not JSON. */
export function tomlValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return String(value)
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`
  if (typeof value !== 'object' || value === null) throw new TypeError(`TOML has no ${String(value)}`)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  if (fields.length === 0) return '{}'
  return `{ ${fields.map(([name, field]) => `${bareOrQuoted(name)} = ${tomlValue(field)}`).join(', ')} }`
}

/** Quotes text. Uses single quotes if it contains backslashes, so that patterns and paths stay readable. */
function quoted(text: string): string {
  const hasControl = [...text].some((character) => character < ' ' || character === '\u007f')
  if (text.includes('\\') && !text.includes("'") && !hasControl) return `'${text}'`
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}

const bareOrQuoted = (name: string) => (/^[\w-]+$/.test(name) ? name : quoted(name))
