import { parse } from 'smol-toml'
import type { z } from 'zod'
import { configSchema } from '../../shared/config.ts'
import { AspyError } from '../../shared/contract/errors.ts'
import { nearestName } from '../../shared/nearest-name.ts'

/** One setting of the schema. */
export interface Setting {
  /** `section.name` */
  readonly key: string
  readonly section: string
  readonly name: string
  /** The environment variable that overrides the file. */
  readonly variable: string
  readonly description: string
  readonly schema: z.ZodType
  /** Converts text from a shell to the schema's type. Text that does not fit is returned for the schema to refuse. */
  readonly fromText: (text: string) => unknown
}

/** Every setting, in the order of the schema. */
export const settings: readonly Setting[] = Object.entries(configSchema.shape).flatMap(([section, table]) =>
  Object.entries<z.ZodType>(table.unwrap().shape).map(([name, schema]) => ({
    key: `${section}.${name}`,
    section,
    name,
    variable: `ASPY_${section}_${name}`.toUpperCase(),
    description: schema.description ?? '',
    schema,
    fromText: textReader(schema),
  })),
)

const byKey = new Map(settings.map((setting) => [setting.key, setting]))

/** Returns a setting by `section.name`. Throws `bad_input` if it does not exist. */
export function settingOf(key: string): Setting {
  const setting = byKey.get(key)
  if (setting === undefined) {
    const sections = [...new Set(settings.map(({ section }) => section))]
    const names = key.includes('.') ? [...byKey.keys()] : [...sections, ...byKey.keys()]
    const nearest = sections.includes(key)
      ? null
      : (names.find((each) => each.startsWith(key) || each.endsWith(`.${key}`)) ?? nearestName(key, names))
    const own = settings.filter(({ section }) => section === key.split('.')[0])
    const others = own.length === 0 ? '; aspy config lists all' : `; there is ${own.map((each) => each.key).join(', ')}`
    const advice = nearest === null ? others : `; did you mean ${nearest}?`
    throw new AspyError(
      'bad_input',
      `${sections.includes(key) ? `${key} is a section` : `unknown setting ${key}`}${advice}`,
    )
  }
  return setting
}

function textReader(schema: z.ZodType): (text: string) => unknown {
  // Every setting has a default, which determines its type.
  const type = schema.safeParse(undefined).data
  if (typeof type === 'number') return (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text)
  if (typeof type === 'boolean') return (text) => BOOLEANS.get(text.toLowerCase()) ?? text
  if (Array.isArray(type))
    return (text) => (/^\s*\[/.test(text) ? jsonOf(text) : text.split(',').map((part) => part.trim()))
  if (typeof type === 'object' && type !== null) return jsonOf
  return (text) => text
}

/** Parses tables and lists of tables, as JSON or as in the config file. Other text is returned for the schema to refuse. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return tomlOf(text)
  }
}

function tomlOf(text: string): unknown {
  try {
    return structuredClone(parse(`value = ${text}`))['value']
  } catch {
    return text
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
])
