import type { Setting } from './queries.ts'

/** The control of a setting, derived from its JSON Schema. */
export type SettingForm =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'number' }
  | { readonly kind: 'text' }
  | { readonly kind: 'choices'; readonly options: readonly string[] }
  | { readonly kind: 'lines' }
  | { readonly kind: 'rows'; readonly columns: readonly Column[] }
  | { readonly kind: 'json' }

/** A field in each row of a list of tables. */
export interface Column {
  readonly name: string
  readonly kind: 'text' | 'number' | 'switch' | 'json'
  readonly isRequired: boolean
}

interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** Returns the control for a setting. */
export function formOf({ form }: Pick<Setting, 'form'>): SettingForm {
  const schema = form as Schema
  if (schema.type === 'boolean') return { kind: 'switch' }
  if (schema.enum) return { kind: 'choice', options: schema.enum }
  if (schema.type === 'integer' || schema.type === 'number') return { kind: 'number' }
  if (schema.type === 'string') return { kind: 'text' }
  const { items } = schema
  if (items?.enum) return { kind: 'choices', options: items.enum }
  if (items?.type === 'string') return { kind: 'lines' }
  if (items?.type === 'object' && items.properties) return { kind: 'rows', columns: columnsOf(items) }
  return { kind: 'json' }
}

const COLUMN_KINDS: Readonly<Record<string, Column['kind']>> = {
  string: 'text',
  boolean: 'switch',
  number: 'number',
  integer: 'number',
}

function columnsOf({ properties = {}, required = [] }: Schema): Column[] {
  return Object.entries(properties).map(([name, { type }]) => ({
    name,
    kind: COLUMN_KINDS[type ?? ''] ?? 'json',
    isRequired: required.includes(name),
  }))
}

/** Parses typed text as the setting's value. Throws an error with a message for the user. */
export function parseTyped(text: string, form: SettingForm): unknown {
  switch (form.kind) {
    case 'number': {
      const number = Number(text.replaceAll(/[\s_]/g, ''))
      if (text.trim() === '' || !Number.isFinite(number)) throw new Error('Enter a number.')
      return number
    }
    case 'lines':
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
    case 'json':
      return parseJson(text)
    default:
      return text
  }
}

/** Formats a value for a text field. */
export function typedOf(value: unknown, form: SettingForm): string {
  if (form.kind === 'lines') return Array.isArray(value) ? value.join('\n') : ''
  if (form.kind === 'json') return JSON.stringify(value, null, 2)
  return String(value ?? '')
}

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
