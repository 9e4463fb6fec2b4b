import type { UseQueryOptions } from '@tanstack/react-query'
import type { LucideIcon } from 'lucide-react'
import { z } from 'zod'
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
  // Whoever shows the values need not know the answer.
  return operationQuery(name, input, { freshMs: 60_000, select }) as unknown as Values
}

/** A control that filters a list by one field of its operation's input. */
export interface Control<Field extends string = string> {
  readonly field: Field
  readonly kind: 'toggle' | 'select' | 'text' | 'number' | 'date'
  readonly label: string
  readonly title?: string
  readonly icon?: LucideIcon
  /** What a select says while nothing is chosen. */
  readonly all?: string
  /** What to read the values of a select from. Default: those that the contract lists. */
  readonly values?: Values | readonly string[]
  /** Returns how a value is shown. */
  readonly name?: (value: string) => string
  /** A select with fewer values is not shown. */
  readonly least?: number
}

/** What a person has chosen of an operation's input. */
type Chosen<Shape extends z.core.$ZodLooseShape, Field extends keyof Shape> = {
  readonly [Name in Field]?: z.input<Shape[Name]> | undefined
}

/** The filters of a list: their controls, and how they are read from an address. */
export interface Filters<Shape extends z.core.$ZodLooseShape, Field extends keyof Shape & string> {
  readonly controls: readonly Control<Field>[]
  /** Reads them, also from what was read before. What the operation would refuse or assume anyway is left out. */
  readonly read: (address: Record<string, unknown>) => Chosen<Shape, Field>
  /** Returns them out of the state of a view, for the input. */
  readonly of: (state: Chosen<Shape, Field>) => Chosen<Shape, Field>
}

/** The state of a view that has these filters. */
export type Filtered<Of> = Of extends Filters<infer Shape, infer Field> ? Chosen<Shape, Field> : never

/** Returns the filters of a list from the input that its operation takes. */
export function filters<Shape extends z.core.$ZodLooseShape, const Field extends keyof Shape & string>(
  { input }: { readonly input: z.ZodObject<Shape> },
  controls: readonly Control<Field>[],
): Filters<Shape, Field> {
  const names = controls.map((control) => control.field)
  const each = (valueOf: (name: Field) => unknown) =>
    Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Chosen<Shape, Field>
  return {
    controls: controls.map((control) => ({ values: listed(input.shape[control.field]), ...control })),
    read: (address) => each((name) => chosen(input.shape[name], address[name])),
    of: (state) => each((name) => state[name]),
  }
}

/** Returns the words that a field may be, apart from the one it is anyway. */
function listed(schema: z.core.$ZodType | undefined): readonly string[] {
  const inner = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? schema.unwrap() : schema
  return inner instanceof z.ZodEnum ? inner.options.map(String).filter((word) => word !== preset(schema)) : []
}

const preset = (schema: z.core.$ZodType | undefined) => (schema && z.safeParse(schema, undefined).data) as unknown

/** A text is kept as it was written: a date that is relative moves on. */
function chosen(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === undefined || value === '') return undefined
  const { success, data } = z.safeParse(schema, value)
  if (!success || data === preset(schema)) return undefined
  return data === true ? true : value
}
