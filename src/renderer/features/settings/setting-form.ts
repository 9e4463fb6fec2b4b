import { configSchema } from '../../../shared/config.ts'
import { expectedWords } from '../../../shared/issue-words.ts'
import type { Setting } from './queries.ts'

/** The control of a setting, derived from its JSON Schema. */
export type SettingForm =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'number' }
  | { readonly kind: 'text' }
  | { readonly kind: 'choices'; readonly options: readonly string[] }
  | { readonly kind: 'rows'; readonly columns: readonly Column[]; readonly shape: RowsShape }
  | { readonly kind: 'json' }

/** What every control of a setting is given. */
export interface ControlProps {
  readonly setting: Setting
  readonly label: string
  readonly isDisabled: boolean
  readonly onSave: (value: unknown) => void
}

/** Returns the value to edit: the one of the next start if it differs. */
export const valueOf = (setting: Setting): unknown => ('next' in setting ? setting.next : setting.value)

/** How rows are stored: a list of texts, a list of tables, a table of named values, or one table with fixed fields. */
export type RowsShape = 'texts' | 'tables' | 'pairs' | 'table'

/** A field in each row. */
export interface Column {
  readonly name: string
  readonly kind: 'text' | 'number' | 'switch' | 'choice' | 'json'
  /** The values of a choice. */
  readonly options: readonly string[]
  readonly isRequired: boolean
}

export type Row = Readonly<Record<string, unknown>>

interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly propertyNames?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
}

/** Returns the control for a setting. */
export function formOf({ form }: Pick<Setting, 'form'>): SettingForm {
  const schema = form as Schema
  if (schema.type === 'boolean') return { kind: 'switch' }
  if (schema.enum) return { kind: 'choice', options: schema.enum }
  if (schema.type === 'integer' || schema.type === 'number') return { kind: 'number' }
  if (schema.type === 'string') return { kind: 'text' }
  const { items, properties, propertyNames, additionalProperties: value } = schema
  if (items?.enum) return { kind: 'choices', options: items.enum }
  if (items?.type === 'string') return { kind: 'rows', shape: 'texts', columns: [columnOf('value', items, true)] }
  if (items?.properties) return { kind: 'rows', shape: 'tables', columns: columnsOf(items) }
  if (properties) return { kind: 'rows', shape: 'table', columns: columnsOf(schema) }
  if (propertyNames && typeof value === 'object')
    return {
      kind: 'rows',
      shape: 'pairs',
      columns: [columnOf('key', propertyNames, true), columnOf('value', value, true)],
    }
  return { kind: 'json' }
}

const COLUMN_KINDS: Readonly<Record<string, Column['kind']>> = {
  string: 'text',
  boolean: 'switch',
  number: 'number',
  integer: 'number',
}

const columnsOf = ({ properties = {}, required = [] }: Schema): Column[] =>
  Object.entries(properties).map(([name, schema]) => columnOf(name, schema, required.includes(name)))

const columnOf = (name: string, { type, enum: options = [] }: Schema, isRequired: boolean): Column => ({
  name,
  kind: options.length > 0 ? 'choice' : (COLUMN_KINDS[type ?? ''] ?? 'json'),
  options,
  isRequired,
})

/** Returns the rows of a stored value. */
export function rowsOf(value: unknown, shape: RowsShape): readonly Row[] {
  if (shape === 'texts') return (Array.isArray(value) ? value : []).map((text: unknown) => ({ value: text }))
  if (shape === 'tables') return Array.isArray(value) ? (value as readonly Row[]) : []
  if (shape === 'table') return [(value ?? {}) as Row]
  return Object.entries((value ?? {}) as Row).map(([key, named]) => ({ key, value: named }))
}

/** Returns the value to store for rows. */
export function valueOfRows(rows: readonly Row[], shape: RowsShape): unknown {
  if (shape === 'texts') return rows.map(({ value }) => value)
  if (shape === 'tables') return rows
  if (shape === 'table') return rows[0] ?? {}
  return Object.fromEntries(rows.map(({ key, value }) => [String(key), value]))
}

/** What is wrong with a value, and where in it. */
export interface Fault {
  readonly path: readonly PropertyKey[]
  readonly words: string
}

/** Returns what is wrong with a value by the schema of its setting; null if it fits. */
export function faultIn(key: string, value: unknown): Fault | null {
  const [section = '', name = ''] = key.split('.')
  const issue = configSchema.safeParse({ [section]: { [name]: value } }).error?.issues[0]
  if (issue === undefined) return null
  const inner = issue.code === 'invalid_key' ? issue.issues[0] : issue
  const words = expectedWords(inner?.message ?? issue.message)
  return {
    path: issue.path.slice(2),
    words: `${words.charAt(0).toUpperCase()}${words.slice(1)}.`.replace(/\.\.$/, '.'),
  }
}

/** Parses typed text as the setting's value. Throws an error with a message for the user. */
export function parseTyped(text: string, form: Pick<SettingForm, 'kind'>): unknown {
  switch (form.kind) {
    case 'number': {
      const number = Number(text.replaceAll(/[\s_]/g, ''))
      if (text.trim() === '' || !Number.isFinite(number)) throw new Error('Enter a number.')
      return number
    }
    case 'json':
      return parseJson(text)
    default:
      return text
  }
}

/** Formats a value for a text field. */
export const typedOf = (value: unknown, form: Pick<SettingForm, 'kind'>): string =>
  form.kind === 'json' ? JSON.stringify(value, null, 2) : String(value ?? '')

/** Parses JSON. Throws an error with a message for the user. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`Enter valid JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}`, {
      cause: error,
    })
  }
}
