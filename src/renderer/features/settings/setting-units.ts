/** A unit that a number can be typed in. */
export interface Unit {
  readonly name: string
  /** Unit of the stored number. */
  readonly factor: number
}

const BYTES: readonly Unit[] = [
  { name: 'bytes', factor: 1 },
  { name: 'KB', factor: 1024 },
  { name: 'million bytes', factor: 1_000_000 },
  { name: 'MB', factor: 1024 ** 2 },
  { name: 'GB', factor: 1024 ** 3 },
]
const TIMES: readonly Unit[] = [
  { name: 'ms', factor: 1 },
  { name: 's', factor: 1000 },
  { name: 'min', factor: 60_000 },
]
const only = (name: string): readonly Unit[] => [{ name, factor: 1 }]

/** Returns the units of a setting by the end of its key; empty for a plain number. */
export function unitsOf(key: string): readonly Unit[] {
  if (/(?:_bytes|_prompt_size|_thinking_size)$/.test(key)) return BYTES
  if (key.endsWith('_ms')) return TIMES
  if (key.endsWith('_usd')) return only('$')
  return only(/_(days|minutes|seconds|tokens)$/.exec(key)?.[1] ?? '').filter(({ name }) => name !== '')
}

/** Returns the word for 0 of a number whose description ends with it: `never`; undefined if 0 is a number like others. */
export const zeroWord = (description: string): string | undefined => /\b0: ([^.;]+)\.$/.exec(description)?.[1]

/**
 * Returns the description of a setting for a form, in which an empty field means 0 and says so itself, the desktop app is
 * known, and each choice is named in words.
 */
export const formDescription = (description: string, value: unknown, choices: readonly string[] = []): string =>
  choices
    .reduce((text, choice) => text.replace(new RegExp(` ${choice}: [^.]+\\.`), ''), description)
    .replace(/ \b0: ([^.;]+\.)$/, (_, word: string) => (value === 0 ? '' : ` Empty: ${word}`))
    .replace(/^Desktop(?:, packaged)?: (\w)/, (_, first: string) => first.toUpperCase())
    .replaceAll('`', '')

/** Returns the largest unit in which a number is whole. */
export const bestUnit = (value: number, units: readonly Unit[]): Unit | undefined =>
  units.findLast(({ factor }) => value !== 0 && value % factor === 0) ?? units[0]

interface Bounds {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
}

/** Returns an error message for a number that violates its JSON Schema; null if it is valid. */
export function faultOf(value: unknown, { type, minimum, maximum }: Bounds, unit = ''): string | null {
  if (typeof value === 'number') {
    if (type === 'integer' && !Number.isInteger(value)) return 'Enter a whole number.'
    const withUnit = unit === '$' ? (bound: number) => `$${bound}` : (bound: number) => `${bound} ${unit}`.trim()
    if (minimum !== undefined && value < minimum) return `Enter at least ${withUnit(minimum)}.`
    if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && value > maximum)
      return `Enter at most ${withUnit(maximum)}.`
  }
  return null
}
