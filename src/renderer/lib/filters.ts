import type { UseQueryOptions } from '@tanstack/react-query'
import type { LucideIcon } from 'lucide-react'
import { z } from 'zod'
import { describeField } from '../../shared/contract/describe-field.ts'
import type { OperationInput, OperationName, OperationOutput } from '../../shared/contract/index.ts'
import { operationQuery } from './operation.ts'

/** The query of values that are recorded. */
export type Values = UseQueryOptions<unknown, Error, readonly string[]>

/** Returns the query of values in the answer of an operation. */
export function valuesOf<Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  select: (answer: OperationOutput<Name>) => readonly string[],
): Values {
  // Components that show the values need not know the answer's type.
  return operationQuery(name, input, { freshMs: 60_000, select }) as unknown as Values
}

/** A filter by one field of an operation's input. Omitted properties follow from the contract. */
export interface Filter<Field extends string = string> {
  readonly field: Field
  /** Without a label, and without a title in the contract, the view itself lets people choose. */
  readonly label?: string
  readonly title?: string
  readonly icon?: LucideIcon
  /** Label of a select while nothing is chosen. */
  readonly all?: string
  /** The query that returns the values of a select. */
  readonly values?: Values | readonly string[]
  /** Returns the label of a value. */
  readonly name?: (value: string) => string
  /** Minimum number of values for a select to be shown. */
  readonly least?: number
}

/** The control of a filter. */
export interface Control<Field extends string = string> extends Filter<Field> {
  readonly kind: 'toggle' | 'select' | 'text' | 'number'
  readonly label: string
  /** Returns true for a value that the operation takes. */
  readonly takes: (value: string) => boolean
}

/** The user's choices for an operation's input. */
type Chosen<Shape extends z.core.$ZodLooseShape, Field extends keyof Shape> = {
  readonly [Name in Field]?: z.input<Shape[Name]> | undefined
}

/** The filters of a list: their controls, and their form in an address. */
export interface Filters<Shape extends z.core.$ZodLooseShape, Field extends keyof Shape & string> {
  readonly controls: readonly Control<Field>[]
  /** Parses them; parsing a result again returns the same. Invalid values and defaults are left out. */
  readonly read: (address: Record<string, unknown>) => Chosen<Shape, Field>
  /** Extracts them from the state of a view, for the input. */
  readonly of: (state: Chosen<Shape, Field>) => Chosen<Shape, Field>
  /** Returns true if any is chosen, so that they may be the reason for an empty list. */
  readonly narrow: (state: Chosen<Shape, Field>) => boolean
}

/** The state of a view that has these filters. */
export type Filtered<Of> = Of extends Filters<infer Shape, infer Field> ? Chosen<Shape, Field> : never

/**
 * Returns the filters of a list from the input that its operation takes: the given ones, then each field that has a
 * title in the contract. Lists of one view that have a field of the same name share its filter.
 */
export function filters<Shape extends z.core.$ZodLooseShape, const Field extends keyof Shape & string = never>(
  { input }: { readonly input: z.ZodObject<Shape> },
  given: readonly Filter<Field>[] = [],
): Filters<Shape, Field> {
  // The compiler knows only the given ones, because titles are not types.
  const fields = Object.keys(input.shape) as Field[]
  const titled = fields.filter(
    (field) => !given.some((one) => one.field === field) && describeField(input.shape[field]).title !== undefined,
  )
  const all: readonly Filter<Field>[] = [...given, ...titled.map((field) => ({ field }))]
  const each = (valueOf: (name: Field) => unknown) =>
    Object.fromEntries(all.map(({ field }) => [field, valueOf(field)])) as Chosen<Shape, Field>
  return {
    controls: all.flatMap((filter) => controlOf(filter, input.shape[filter.field])),
    read: (address) => each((name) => chosen(input.shape[name], address[name])),
    of: (state) => each((name) => state[name]),
    narrow: (state) => all.some(({ field }) => state[field] !== undefined),
  }
}

function controlOf<Field extends string>(filter: Filter<Field>, schema: z.core.$ZodType): Control<Field>[] {
  const { kind, choices, title: name, description } = describeField(schema)
  const { label = name, values = choices.filter((choice) => choice !== preset(schema)), title = description } = filter
  if (label === undefined) return []
  const isSelect = kind === 'choice' || filter.values !== undefined
  return [
    {
      all: `Any ${label.toLowerCase()}`,
      ...filter,
      ...(title === undefined ? {} : { title }),
      kind: kind === 'switch' ? 'toggle' : isSelect ? 'select' : kind,
      label,
      values,
      takes: (value) => z.safeParse(schema, value).success,
    },
  ]
}

const preset = (schema: z.core.$ZodType) => z.safeParse(schema, undefined).data as unknown

/** A text is kept as typed, since a relative date moves with time. */
function chosen(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === undefined || value === '') return undefined
  const { success, data } = z.safeParse(schema, value)
  if (!success || data === false || data === preset(schema)) return undefined
  // An address contains only texts and enabled switches.
  return data === true ? true : typeof value === 'number' ? String(value) : value
}

/** Returns the name of a value, and the value itself if another has the same name. */
export function distinctName(value: string, all: readonly string[], name: (value: string) => string): string {
  const own = name(value)
  return all.some((other) => other !== value && name(other) === own) ? `${own} · ${value}` : own
}
